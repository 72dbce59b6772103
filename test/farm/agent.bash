# An agent that is a script: it holds two servers by pipes of its own, asks both
# again and again, and counts the rounds in which both have answered.
folder=$1
coproc memory { exec sh "$folder/home/servers/mcp-server-memory"; }
first=$memory_PID
to_memory=${memory[1]} from_memory=${memory[0]}
{ coproc time { exec sh "$folder/home/servers/mcp-server-time"; }; } 2>/dev/null # it warns that there is one already
second=$time_PID
to_time=${time[1]} from_time=${time[0]}

echo "$first $second" >"$folder/run/agent.servers.new"
mv "$folder/run/agent.servers.new" "$folder/run/agent.servers"

rounds=0
while :; do
	echo "ping $rounds" >&"$to_memory" || exit
	read -r answer <&"$from_memory" || exit
	echo "ping $rounds" >&"$to_time" || exit
	read -r answer <&"$from_time" || exit
	rounds=$((rounds + 1))
	(echo "$rounds" >"$folder/run/agent.rounds") # in a child: a file would be its own stdout meanwhile
	sleep 0.2
done
