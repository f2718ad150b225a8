{{/* A number of the settings by which the chart computes something. Takes the root and the name. */}}
{{- define "datagrid.count" -}}
{{- $name := index . 1 -}}
{{- $message := printf "settings.%s is missing: the chart computes connections, times and disk space by it. Set it, or remove your own null to use the default of the chart." $name -}}
{{- $value := get (index . 0).Values.settings $name -}}
{{- if or (kindIs "invalid" $value) (eq (toString $value) "") }}{{ fail $message }}{{ end -}}
{{ int64 $value }}
{{- end }}

{{/*
Connections that one instance opens straight to PostgreSQL at most: all of them, or behind PgBouncer
those that cannot share sessions. See docs/operations/postgresql.md, Connections.
*/}}
{{- define "datagrid.directConnections" -}}
{{- $imports := include "datagrid.count" (list . "MAX_CONCURRENT_IMPORTS") | int64 -}}
{{- $exports := include "datagrid.count" (list . "MAX_CONCURRENT_EXPORTS") | int64 -}}
{{- $syncs := include "datagrid.count" (list . "MAX_CONCURRENT_SYNCS") | int64 -}}
{{- $pool := include "datagrid.count" (list . "DATABASE_POOL_SIZE") | int64 -}}
{{- $pools := ternary 0 (mul 2 $pool) .Values.pgbouncer.enabled -}}
{{- add $pools $imports $exports (mul 4 $syncs) (ternary 6 0 (gt (int64 .Values.columnarMiB) 0)) 3 -}}
{{- end }}

{{/* Fails if PostgreSQL allows fewer connections than all instances may open during a rollout. */}}
{{- define "datagrid.checkConnections" -}}
{{- $max := .Values.database.maxConnections -}}
{{- if $max -}}
{{- $scaled := .Values.autoscaling.enabled -}}
{{- $instances := ternary .Values.autoscaling.maxReplicas .Values.replicas $scaled | int64 -}}
{{- $running := add $instances .Values.database.rolloutInstances -}}
{{- $each := include "datagrid.directConnections" . | int64 -}}
{{- $pooled := 0 -}}
{{- if .Values.pgbouncer.enabled -}}
{{- $pooled = mul (add .Values.pgbouncer.replicas 1) .Values.pgbouncer.poolSize -}}
{{- end -}}
{{- $needed := add (mul $running $each) $pooled .Values.database.reservedConnections -}}
{{- if gt $needed ($max | int64) -}}
{{- $name := ternary "autoscaling.maxReplicas" "replicas" $scaled -}}
{{- $pooler := "" -}}
{{- if .Values.pgbouncer.enabled -}}
{{- $pooler = printf " + (%d + 1) x %d of PgBouncer" (.Values.pgbouncer.replicas | int64) (.Values.pgbouncer.poolSize | int64) -}}
{{- end -}}
{{- printf "database.maxConnections is %d, but the instances may need %d connections: (%d of %s + %d during a rollout) x %d each%s + %d reserved. Lower %s or settings.DATABASE_POOL_SIZE, use pgbouncer, or raise max_connections of PostgreSQL." ($max | int64) $needed $instances $name (.Values.database.rolloutInstances | int64) $each $pooler (.Values.database.reservedConnections | int64) $name | fail -}}
{{- end -}}
{{- else if .Values.autoscaling.enabled -}}
{{- fail "autoscaling needs database.maxConnections, the max_connections of PostgreSQL, so that more instances cannot use up its connections." -}}
{{- end -}}
{{- end }}

{{/* Fails if values do not fit each other. */}}
{{- define "datagrid.check" -}}
{{- if not (or .Values.secrets.existingSecret .Values.trial.postgresql.enabled) -}}
{{- fail "secrets.existingSecret is missing: name a Secret with DATABASE_URL. To try the service without a database of your own, set trial.postgresql.enabled." -}}
{{- end -}}
{{- if and .Values.autoscaling.enabled (gt (int64 .Values.autoscaling.minReplicas) (int64 .Values.autoscaling.maxReplicas)) -}}
{{- fail "autoscaling.minReplicas is greater than autoscaling.maxReplicas." -}}
{{- end -}}
{{- if and .Values.ingress.enabled .Values.httpRoute.enabled -}}
{{- fail "ingress and httpRoute are both enabled: enable one of them." -}}
{{- end -}}
{{- if and .Values.pgbouncer.enabled .Values.trial.postgresql.enabled -}}
{{- fail "pgbouncer and trial.postgresql are both enabled: PgBouncer is for a database of your own." -}}
{{- end -}}
{{- include "datagrid.checkConnections" . -}}
{{- end }}
