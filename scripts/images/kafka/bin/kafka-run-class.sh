#!/usr/bin/env bash
# Runs a class of Kafka. Honours KAFKA_HEAP_OPTS, KAFKA_JVM_PERFORMANCE_OPTS, KAFKA_LOG4J_OPTS, KAFKA_JMX_OPTS, KAFKA_OPTS.
set -eu
heap=${KAFKA_HEAP_OPTS:--Xmx256M}
performance=${KAFKA_JVM_PERFORMANCE_OPTS:--XX:+UseG1GC -XX:MaxGCPauseMillis=20 -Djava.awt.headless=true}
logging=${KAFKA_LOG4J_OPTS:--Dlog4j2.configurationFile=/opt/kafka/config/tools-log4j2.yaml}
archive=
if [ -n "${DUMP_CLASSES-}" ]; then
  archive=-XX:ArchiveClassesAtExit=$DUMP_CLASSES
elif [ -r "${CLASSES-}" ]; then
  archive=-XX:SharedArchiveFile=$CLASSES
fi
# shellcheck disable=SC2086 # lists of options
exec java $heap $performance $archive ${KAFKA_JMX_OPTS-} -Dkafka.logs.dir=/opt/kafka/logs $logging -cp '/opt/kafka/libs/*' ${KAFKA_OPTS-} "$@"
