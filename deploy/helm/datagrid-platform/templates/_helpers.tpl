{{/* Name of all objects: the name of the release, unless fullnameOverride is set. */}}
{{- define "datagrid.fullname" -}}
{{- .Values.fullnameOverride | default .Release.Name | trunc 45 | trimSuffix "-" -}}
{{- end }}

{{/* Labels by which Services, policies and monitors select Pods of the service and the migration. */}}
{{- define "datagrid.selector" -}}
app.kubernetes.io/name: datagrid
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "datagrid.serviceSelector" -}}
{{ include "datagrid.selector" . }}
app.kubernetes.io/component: service
{{- end }}

{{/* Labels of all objects of the service. */}}
{{- define "datagrid.labels" -}}
{{ include "datagrid.selector" . }}
{{ include "datagrid.chartLabels" . }}
{{- end }}

{{- define "datagrid.chartLabels" -}}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{/*
Labels by which one part beside the service is selected. Its name differs from that of the service, so
that no policy or Service of the service selects its Pods. Takes a list of the root and the name.
*/}}
{{- define "datagrid.partSelector" -}}
app.kubernetes.io/name: datagrid-{{ index . 1 }}
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
{{- end }}

{{/* Image of the service: by digest if one is set, otherwise by tag. */}}
{{- define "datagrid.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end }}

{{/* A value of a setting as text. YAML reads `on` and `off` as booleans, and large numbers as floats. */}}
{{- define "datagrid.settingText" -}}
{{- if kindIs "bool" . -}}
{{ ternary "on" "off" . }}
{{- else if kindIs "float64" . -}}
{{ int64 . }}
{{- else -}}
{{ . }}
{{- end -}}
{{- end }}

{{/* All settings that are not secret, as a YAML map of texts. A setting that is null is left out. */}}
{{- define "datagrid.settings" -}}
{{- $host := include "datagrid.host" . -}}
{{- $settings := dict "PORT" "3000" "METRICS_PORT" "9464" -}}
{{- if $host }}{{ $_ := set $settings "PUBLIC_URL" (printf "https://%s" $host) }}{{ end -}}
{{- if .Values.secretsKey.existingSecret -}}
{{- $_ := set $settings "SECRETS_KEY_FILE" (printf "/etc/datagrid/keys/%s" .Values.secretsKey.key) -}}
{{- end -}}
{{- range $name, $value := .Values.settings -}}
{{- if not (kindIs "invalid" $value) }}{{ $_ := set $settings $name (include "datagrid.settingText" $value) }}{{ end -}}
{{- end -}}
{{ toYaml $settings }}
{{- end }}

{{/* Host name of the Ingress or the HTTPRoute. */}}
{{- define "datagrid.host" -}}
{{- if .Values.ingress.enabled -}}
{{ .Values.ingress.host }}
{{- else if .Values.httpRoute.enabled -}}
{{ first .Values.httpRoute.hostnames }}
{{- end -}}
{{- end }}

{{/* Sources of secret settings, as a list of envFrom. */}}
{{- define "datagrid.secretSources" -}}
{{- if or .Values.trial.postgresql.enabled .Values.trial.redis.enabled }}
- secretRef:
    name: {{ include "datagrid.fullname" . }}-trial
{{- end }}
{{- with .Values.secrets.existingSecret }}
- secretRef:
    name: {{ . }}
{{- end }}
{{- end }}

{{/* Security context of a Pod of the service: the user of the image. */}}
{{- define "datagrid.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "datagrid.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* Spreads Pods over nodes and zones. Takes the labels that select them. */}}
{{- define "datagrid.spread" -}}
- maxSkew: 1
  topologyKey: kubernetes.io/hostname
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- . | nindent 6 }}
- maxSkew: 1
  topologyKey: topology.kubernetes.io/zone
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- . | nindent 6 }}
{{- end }}

{{/* Pods that may connect to a part: those of the service and the migration. */}}
{{- define "datagrid.fromService" -}}
- podSelector:
    matchLabels:
      {{- include "datagrid.selector" . | nindent 6 }}
{{- end }}
