package interop;

import com.alibaba.fastjson.JSON;
import com.alibaba.fastjson.JSONObject;
import com.alibaba.fastjson.serializer.SerializerFeature;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.apache.rocketmq.common.MQVersion;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;

/**
 * Runs commands of the interop tests against Apache RocketMQ's own classes.
 *
 * <p>One line of JSON in, {"command": NAME, ...}; one line out: {"ok": true, ...} or {"ok": false,
 * "error": TEXT}. Ends with its input. What RocketMQ prints goes to the error stream.
 */
public final class Driver {
    interface Command {
        JSONObject run(JSONObject arguments) throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err);
        // As the start of every one of RocketMQ's programs does: what commands tell as their version.
        System.setProperty(RemotingCommand.REMOTING_VERSION_KEY,
            Integer.toString(MQVersion.CURRENT_VERSION));
        Map<String, Command> commands = new TreeMap<>();
        StoreCommands.register(commands);
        BrokerCommands.register(commands);
        ClientCommands.register(commands);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            JSONObject answer = answer(commands, JSON.parseObject(line));
            answers.println(JSON.toJSONString(answer, SerializerFeature.WriteNonStringKeyAsString));
        }
        Runtime.getRuntime().halt(0);  // Threads that RocketMQ left behind don't hold it up.
    }

    private static JSONObject answer(Map<String, Command> commands, JSONObject request) {
        JSONObject answer = new JSONObject(true);
        try {
            Command command = commands.get(request.getString("command"));
            if (command == null) throw new IllegalArgumentException("no such command");
            answer.putAll(command.run(request));
            answer.put("ok", true);
        } catch (Throwable problem) {
            problem.printStackTrace();
            answer.put("ok", false);
            StringBuilder told = new StringBuilder(problem.toString());
            for (Throwable cause = problem.getCause(); cause != null; cause = cause.getCause()) {
                told.append(" because of ").append(cause);
            }
            answer.put("error", told.toString());
        }
        return answer;
    }

    private Driver() {}
}
