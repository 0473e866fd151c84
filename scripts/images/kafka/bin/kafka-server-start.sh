#!/usr/bin/env bash
set -eu
export KAFKA_HEAP_OPTS=${KAFKA_HEAP_OPTS:--Xms1G -Xmx1G}
export KAFKA_LOG4J_OPTS=${KAFKA_LOG4J_OPTS:--Dlog4j2.configurationFile=/opt/kafka/config/log4j2.yaml}
exec /opt/kafka/bin/kafka-run-class.sh kafka.Kafka "$@"
