// Prints every configuration property of Apache RocketMQ as tab-separated lines: class, name, type,
// default. The committed list is properties.tsv beside this file; generate.py makes
// engine/broker/property_table.cpp of it. With a folder of rocketmq-broker 5.3.3 and all that it
// depends on (Maven: dependency:copy-dependencies):
//
//     java -cp 'JARS/*' tools/conf_table/ReflectConf.java > tools/conf_table/properties.tsv
//
// What counts as a property is what MixAll.properties2Object sets: a public setter, inherited ones
// included, of one number, boolean or string; the name has its first letter in lower case.
// Overloads count once, with the string's. A string setter whose getter returns an enumeration has
// the type `enum:A|B`; one that an int sets too lists the numbers as well. BrokerStartup reads the
// two keys of the last rows itself.
//
// A default that depends on the machine is written as a note. Two children with other numbers of
// processors, homes and directories show which ones do: a difference without a note, and a note
// without a difference, end the program with an error.
import java.io.File;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

public final class ReflectConf {
    // The first five are filled from broker.conf, the others from files of their own.
    private static final String[] CLASSES = {
        "org.apache.rocketmq.common.BrokerConfig",
        "org.apache.rocketmq.store.config.MessageStoreConfig",
        "org.apache.rocketmq.remoting.netty.NettyServerConfig",
        "org.apache.rocketmq.remoting.netty.NettyClientConfig",
        "org.apache.rocketmq.auth.config.AuthConfig",
        "org.apache.rocketmq.common.namesrv.NamesrvConfig",
        "org.apache.rocketmq.common.ControllerConfig",
    };
    // What the start of the broker sets before it reads the file.
    private static final Map<String, String> SET_BY_START = Map.of(
        "NettyServerConfig.listenPort", "10911",
        "MessageStoreConfig.haListenPort", "derived: listenPort + 1");
    private static final Map<String, String> DERIVED = new TreeMap<>();

    static {
        derive("BrokerConfig", "address of the host", "brokerIP1", "brokerIP2");
        derive("BrokerConfig", "name of the host", "brokerName");
        derive("BrokerConfig", "min(processors, 4)",
            "sendMessageThreadPoolNums", "putMessageFutureThreadPoolNums");
        derive("BrokerConfig", "16 + 2 * processors", "pullMessageThreadPoolNums",
            "litePullMessageThreadPoolNums", "processReplyMessageThreadPoolNums");
        derive("BrokerConfig", "8 + processors", "queryMessageThreadPoolNums");
        derive("BrokerConfig", "max(8 + 2 * processors, 4 * min(processors, 4))",
            "endTransactionThreadPoolNums");
        derive("BrokerConfig", "min(processors, 32)", "heartbeatThreadPoolNums");
        derive("NettyClientConfig", "processors", "clientCallbackExecutorThreads");
        derive("MessageStoreConfig", "user.home/store", "storePathRootDir");
        derive("MessageStoreConfig", "storePathRootDir/commitlog", "storePathCommitLog");
        derive("MessageStoreConfig", "storePathRootDir/epochFileCheckpoint", "storePathEpochFile");
        derive("MessageStoreConfig", "storePathRootDir/brokerIdentity", "storePathBrokerIdentity");
        derive("NamesrvConfig", "user.home/namesrv/namesrv.properties", "configStorePath");
        derive("NamesrvConfig", "user.home/namesrv/kvConfig.json", "kvConfigPath");
        derive("ControllerConfig", "user.home/controller/controller.properties", "configStorePath");
        derive("ControllerConfig", "user.home/DLedgerController", "controllerStorePath");
        for (String type : List.of("BrokerConfig", "NamesrvConfig", "ControllerConfig")) {
            derive(type, "ROCKETMQ_HOME", "rocketmqHome");
        }
    }

    private static void derive(String type, String note, String... names) {
        for (String name : names) DERIVED.put(type + "." + name, "derived: " + note);
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream lines = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err);  // The classes start loggers that talk about themselves.
        if (arguments.length == 1 && arguments[0].equals("--raw")) {
            reflect().values().forEach(row -> lines.println(String.join("\t", row)));
            return;
        }
        List<String> few = child(3, "few");
        List<String> many = child(48, "many");
        List<String> problems = new ArrayList<>();
        List<String> out = new ArrayList<>();
        for (int i = 0; i < few.size(); ++i) {
            String[] row = few.get(i).split("\t", -1);
            String[] other = many.get(i).split("\t", -1);
            String key = row[0] + "." + row[1];
            boolean differs = !row[3].equals(other[3]) || names(row[3]);
            String note = DERIVED.get(key);
            if (differs && note == null) {
                problems.add(key + " depends on the machine: " + row[3] + " or " + other[3]);
            }
            if (!differs && note != null) {
                problems.add(key + " does not depend on the machine: " + row[3]);
            }
            String fixed = note != null ? note : SET_BY_START.getOrDefault(key, row[3]);
            out.add(String.join("\t", row[0], row[1], row[2], fixed));
        }
        out.add("BrokerStartup\trmqAddressServerDomain\tString\tjmenv.tbsite.net");
        out.add("BrokerStartup\trmqAddressServerSubGroup\tString\tnsaddr");
        if (!problems.isEmpty()) {
            problems.forEach(System.err::println);
            System.exit(1);
        }
        out.forEach(lines::println);
    }

    // Does a value name this host?
    private static boolean names(String value) throws Exception {
        if (value.equals(InetAddress.getLocalHost().getHostName())) return true;
        for (NetworkInterface card : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            for (InetAddress address : Collections.list(card.getInetAddresses())) {
                if (value.equals(address.getHostAddress())) return true;
            }
        }
        return false;
    }

    private static List<String> child(int processors, String home) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
            System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
            "-XX:ActiveProcessorCount=" + processors,
            "-Duser.home=" + Files.createTempDirectory("home-" + home),
            "-cp", System.getProperty("java.class.path"),
            System.getProperty("jdk.launcher.sourcefile", sourceFile()), "--raw");
        builder.environment().put("ROCKETMQ_HOME", "/rocketmq-" + home);
        builder.redirectError(ProcessBuilder.Redirect.DISCARD);
        Process process = builder.start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) throw new IllegalStateException("the child failed");
        return text.lines().toList();
    }

    // In source mode the launcher's command line ends with the file and the arguments.
    private static String sourceFile() {
        for (String word : ProcessHandle.current().info().arguments().orElse(new String[0])) {
            if (word.endsWith("ReflectConf.java")) return word;
        }
        throw new IllegalStateException("run as a source file: java -cp JARS/* ReflectConf.java");
    }

    private static Map<String, String[]> reflect() throws Exception {
        Map<String, String[]> rows = new TreeMap<>();
        for (int i = 0; i < CLASSES.length; ++i) {
            Class<?> type = Class.forName(CLASSES[i]);
            Object fresh = type.getDeclaredConstructor().newInstance();
            for (Method method : type.getMethods()) {
                if (!method.getName().startsWith("set") || method.getParameterCount() != 1) continue;
                String kind = kind(method.getParameterTypes()[0].getSimpleName());
                if (kind == null) continue;
                String tail = method.getName().substring(3);
                String name = tail.substring(0, 1).toLowerCase() + tail.substring(1);
                Method getter = getter(type, tail);
                if (kind.equals("String") && getter != null && getter.getReturnType().isEnum()) {
                    kind = constants(getter.getReturnType(), hasIntSetter(type, method.getName()));
                }
                String key = i + "." + name;
                String[] old = rows.get(key);
                if (old != null && !kind.startsWith("enum:") && !kind.equals("String")) continue;
                Object value = getter == null ? "derived: no getter" : getter.invoke(fresh);
                rows.put(key, new String[] {
                    type.getSimpleName(), name, kind, value == null ? "" : String.valueOf(value)});
            }
        }
        return rows;
    }

    private static String kind(String simpleName) {
        switch (simpleName) {
            case "int": case "Integer": return "int";
            case "long": case "Long": return "long";
            case "double": case "Double": return "double";
            case "float": case "Float": return "float";
            case "boolean": case "Boolean": return "boolean";
            case "String": return "String";
            default: return null;
        }
    }

    private static Method getter(Class<?> type, String tail) {
        for (String prefix : new String[] {"get", "is"}) {
            for (Method method : type.getMethods()) {
                if (method.getParameterCount() == 0
                    && method.getName().equalsIgnoreCase(prefix + tail)) {
                    return method;
                }
            }
        }
        return null;
    }

    private static boolean hasIntSetter(Class<?> type, String setter) {
        for (Method method : type.getMethods()) {
            if (method.getName().equals(setter) && method.getParameterCount() == 1
                && method.getParameterTypes()[0] == int.class) {
                return true;
            }
        }
        return false;
    }

    private static String constants(Class<?> type, boolean withNumbers) {
        List<String> names = new ArrayList<>();
        for (Object constant : type.getEnumConstants()) names.add(((Enum<?>) constant).name());
        for (int i = 0; withNumbers && i < type.getEnumConstants().length; ++i) names.add("" + i);
        return "enum:" + String.join("|", names);
    }
}
