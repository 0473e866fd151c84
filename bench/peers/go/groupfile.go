package main

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"
	"sort"
)

// The layouts are described in bench/planner/groupfile.mjs.

type claim struct {
	topic      int32
	partitions []int32
}

type member struct {
	id     string
	topics []int32
	owned  []claim
}

type topic struct {
	name       string
	partitions int32
}

type group struct {
	generation int32
	topics     []topic
	members    []member
	claims     int
}

func readGroup(path string) (*group, error) {
	bytes, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	in := &reader{bytes}
	g := &group{generation: in.int()}
	g.topics = make([]topic, in.int())
	for i := range g.topics {
		g.topics[i] = topic{in.name(), in.int()}
	}
	g.members = make([]member, in.int())
	for i := range g.members {
		m := member{id: in.name(), topics: in.ints()}
		m.owned = make([]claim, in.int())
		for k := range m.owned {
			m.owned[k] = claim{in.int(), in.ints()}
			g.claims += len(m.owned[k].partitions)
		}
		g.members[i] = m
	}
	return g, nil
}

func writeAnswer(path string, g *group, plan map[string]map[string][]int32) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(file)
	index := make(map[string]int32, len(g.topics))
	for i, t := range g.topics {
		index[t.name] = int32(i)
	}
	put(out, int32(len(g.members)))
	for _, m := range g.members {
		given := plan[m.id]
		names := make([]string, 0, len(given))
		for name := range given {
			names = append(names, name)
		}
		sort.Strings(names)
		put(out, int32(len(names)))
		for _, name := range names {
			put(out, index[name])
			put(out, int32(len(given[name])))
			for _, p := range given[name] {
				put(out, p)
			}
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return file.Close()
}

func put(out io.Writer, value int32) {
	var four [4]byte
	binary.BigEndian.PutUint32(four[:], uint32(value))
	out.Write(four[:])
}

type reader struct{ rest []byte }

func (r *reader) int() int32 {
	value := int32(binary.BigEndian.Uint32(r.rest))
	r.rest = r.rest[4:]
	return value
}

func (r *reader) ints() []int32 {
	list := make([]int32, r.int())
	for i := range list {
		list[i] = r.int()
	}
	return list
}

func (r *reader) name() string {
	length := binary.BigEndian.Uint16(r.rest)
	text := string(r.rest[2 : 2+length])
	r.rest = r.rest[2+length:]
	return text
}
