package interop;

import com.alibaba.fastjson.JSONObject;
import java.util.Map;
import java.util.TreeMap;
import org.apache.rocketmq.broker.BrokerController;
import org.apache.rocketmq.common.BrokerConfig;
import org.apache.rocketmq.common.namesrv.NamesrvConfig;
import org.apache.rocketmq.namesrv.NamesrvController;
import org.apache.rocketmq.remoting.netty.NettyClientConfig;
import org.apache.rocketmq.remoting.netty.NettyServerConfig;
import org.apache.rocketmq.store.config.BrokerRole;
import org.apache.rocketmq.store.config.MessageStoreConfig;

/** Commands that run RocketMQ's name server and broker in this process. */
final class BrokerCommands {
    private static final Map<String, BrokerController> brokers = new TreeMap<>();

    static void register(Map<String, Driver.Command> commands) {
        commands.put("start_name_server", BrokerCommands::startNameServer);
        commands.put("start_broker", BrokerCommands::startBroker);
        commands.put("stop_broker", BrokerCommands::stopBroker);
        commands.put("follow", BrokerCommands::follow);
    }

    /** address, port. */
    private static JSONObject startNameServer(JSONObject arguments) throws Exception {
        NettyServerConfig server = new NettyServerConfig();
        server.setBindAddress(arguments.getString("address"));
        server.setListenPort(arguments.getIntValue("port"));
        NamesrvController controller = new NamesrvController(new NamesrvConfig(), server);
        if (!controller.initialize()) throw new IllegalStateException("no name server");
        controller.start();
        return new JSONObject();
    }

    /** name, address and port to listen on, told (the address that routes name), name_server, and what
     * Stores.configuration takes. */
    private static JSONObject startBroker(JSONObject arguments) throws Exception {
        BrokerConfig config = new BrokerConfig();
        config.setBrokerName(arguments.getString("name"));
        config.setBrokerIP1(arguments.getString("told"));
        config.setNamesrvAddr(arguments.getString("name_server"));
        config.setTransactionTimeOut(500);
        config.setTransactionCheckInterval(500);
        NettyServerConfig server = new NettyServerConfig();
        server.setBindAddress(arguments.getString("address"));
        server.setListenPort(arguments.getIntValue("port"));
        MessageStoreConfig store = Stores.configuration(arguments);
        store.setMessageDelayLevel("1s 2s 3s");
        BrokerController controller =
            new BrokerController(config, server, new NettyClientConfig(), store);
        if (!controller.initialize()) throw new IllegalStateException("the broker can't be made");
        controller.start();
        controller.registerBrokerAll(true, false, true);  // Waits for the answer, as start does not.
        brokers.put(config.getBrokerName(), controller);
        JSONObject answer = new JSONObject(true);
        answer.put("end", controller.getMessageStore().getMaxPhyOffset());
        return answer;
    }

    /** master, and what Stores.configuration takes: a slave that is made, asks the master once for all that
     * is not in the log, and is not started. The answer has what it knows then. */
    private static JSONObject follow(JSONObject arguments) throws Exception {
        BrokerConfig config = new BrokerConfig();
        config.setBrokerName("follower");
        config.setBrokerId(1);
        MessageStoreConfig store = Stores.configuration(arguments);
        store.setBrokerRole(BrokerRole.SLAVE);
        BrokerController slave =
            new BrokerController(config, new NettyServerConfig(), new NettyClientConfig(), store);
        if (!slave.initialize()) throw new IllegalStateException("the slave can't be made");
        slave.getBrokerOuterAPI().start();
        slave.getSlaveSynchronize().setMasterAddr(arguments.getString("master"));
        slave.getSlaveSynchronize().syncAll();
        JSONObject answer = new JSONObject(true);
        answer.put("topics", slave.getTopicConfigManager().getTopicConfigTable().keySet());
        answer.put("topics_version", slave.getTopicConfigManager().getDataVersion().toJson());
        answer.put("offsets", slave.getConsumerOffsetManager().getOffsetTable());
        answer.put("delays", slave.getScheduleMessageService().getOffsetTable());
        answer.put("groups", slave.getSubscriptionGroupManager().getSubscriptionGroupTable().keySet());
        answer.put("groups_version", slave.getSubscriptionGroupManager().getDataVersion().toJson());
        slave.shutdown();
        return answer;
    }

    private static JSONObject stopBroker(JSONObject arguments) {
        brokers.remove(arguments.getString("name")).shutdown();
        return new JSONObject();
    }

    private BrokerCommands() {}
}
