// Times franz-go's public balancers on one group of the bench.
//
//	planner-peer GROUP ANSWER FIGURE WARM_SECONDS MEASURE_SECONDS
//
// FIGURE: plan = sticky's Balance on parsed members; coop = cooperative-sticky's Balance (withholding included);
// bytes = the same from JoinGroup metadata to SyncGroup assignments. Prints JSON lines: {"ready":true}, {"first":ms}, {"runs":[ms…]}.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func main() {
	group, err := readGroup(os.Args[1])
	fail(err)
	figure := os.Args[3]
	balancer := kgo.StickyBalancer()
	if figure != "plan" {
		balancer = kgo.CooperativeStickyBalancer()
	}
	counts := make(map[string]int32, len(group.topics))
	for _, topic := range group.topics {
		counts[topic.name] = topic.partitions
	}
	metadata := metadataOf(group, balancer)

	var plan kgo.IntoSyncAssignment
	call := func() float64 {
		members := joinMembers(group, metadata)
		if figure == "bytes" {
			runtime.GC()
			start := clock()
			plan = balance(parse(balancer, members), counts)
			plan.IntoSyncAssignment()
			return since(start)
		}
		parsed := parse(balancer, members)
		if group.claims > collectAbove {
			runtime.GC()
		}
		start := clock()
		plan = balance(parsed, counts)
		return since(start)
	}
	runs := measure(call)
	fail(writeAnswer(os.Args[2], group, plan.(*kgo.BalancePlan).AsMemberIDMap()))
	print(map[string]any{"runs": runs})
}

// A collection before the clock starts keeps the garbage of building the input out of the measured time.
const collectAbove = 5000

// Warm until the time is up, then measure until the time is up; three calls of each unless one takes long.
func measure(call func() float64) []float64 {
	print(map[string]any{"ready": true})
	first := call()
	print(map[string]any{"first": first})
	warm, time := seconds(os.Args[4]), seconds(os.Args[5])
	// A first plan that took so long is the only one: there is no point in warming up.
	if first > 2000*(warm+time) {
		return []float64{first}
	}
	repeat(warm, call)
	return repeat(time, call)
}

func repeat(limit float64, call func() float64) []float64 {
	var runs []float64
	for start := clock(); ; {
		runs = append(runs, call())
		spent := (clock() - start) / 1000
		if spent > 3*limit || (spent > limit && len(runs) >= 3) || len(runs) == 2000 {
			return runs
		}
	}
}

// Milliseconds: as time passes, or with BENCH_CLOCK=cpu the CPU time of this process with all its threads.
func clock() float64 {
	if os.Getenv("BENCH_CLOCK") != "cpu" {
		return float64(time.Since(began).Nanoseconds()) / 1e6
	}
	var used syscall.Rusage
	fail(syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e6
}

var began = time.Now()

func parse(balancer kgo.GroupBalancer, members []kmsg.JoinGroupResponseMember) kgo.GroupMemberBalancerOrError {
	parsed, _, err := balancer.MemberBalancer(members)
	fail(err)
	return parsed.(kgo.GroupMemberBalancerOrError)
}

func balance(members kgo.GroupMemberBalancerOrError, counts map[string]int32) kgo.IntoSyncAssignment {
	plan, err := members.BalanceOrError(counts)
	fail(err)
	return plan
}

func metadataOf(group *group, balancer kgo.GroupBalancer) [][]byte {
	all := make([][]byte, len(group.members))
	for i, member := range group.members {
		owned := make(map[string][]int32, len(member.owned))
		for _, claim := range member.owned {
			owned[group.topics[claim.topic].name] = claim.partitions
		}
		generation := group.generation
		if len(owned) == 0 {
			generation = -1
		}
		topics := make([]string, len(member.topics))
		for at, topic := range member.topics {
			topics[at] = group.topics[topic].name
		}
		all[i] = balancer.JoinGroupMetadata(topics, owned, generation)
	}
	return all
}

func joinMembers(group *group, metadata [][]byte) []kmsg.JoinGroupResponseMember {
	members := make([]kmsg.JoinGroupResponseMember, len(group.members))
	for i, member := range group.members {
		members[i] = kmsg.NewJoinGroupResponseMember()
		members[i].MemberID = member.id
		members[i].ProtocolMetadata = metadata[i]
	}
	return members
}

func since(start float64) float64 { return clock() - start }

func seconds(text string) float64 {
	value, err := strconv.ParseFloat(text, 64)
	fail(err)
	return value
}

func print(line any) {
	text, err := json.Marshal(line)
	fail(err)
	fmt.Println(string(text))
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
