{{- define "countersign.name" -}}
{{- $name := .Release.Name -}}
{{- if not (contains "countersign" $name) }}{{ $name = printf "%s-countersign" $name }}{{ end -}}
{{- $name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "countersign.selector" -}}
app.kubernetes.io/name: countersign
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .process }}
{{- end -}}

{{- define "countersign.labels" -}}
{{ include "countersign.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end -}}

{{/* With `.process`: gateway, agent or worker. */}}
{{- define "countersign.image" -}}
{{- $image := .root.Values.image -}}
{{ $image.repository }}{{ if $image.perProcess }}-{{ .process }}{{ end }}:{{ $image.tag | default .root.Chart.AppVersion }}
{{- end -}}

{{/* Variables that name the files of secrets: `.needs` as pairs of variable and key, `.secrets` by the rule of values.yaml. */}}
{{- define "countersign.environment" -}}
- { name: COUNTERSIGN_HTTP_LISTEN, value: '0.0.0.0:8420' }
# The process makes it, so that it is nobody else's; a volume itself is open to its group.
- { name: COUNTERSIGN_DATA_DIR, value: /data/countersign }
{{- range $variable, $key := .needs }}
- { name: {{ $variable }}_FILE, value: /secrets/{{ $key }} }
{{- end }}
{{- range .secrets }}
- { name: {{ . }}_FILE, value: /secrets/{{ . | lower | replace "_" "-" }} }
{{- end }}
{{- range $name, $value := .env }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end -}}

{{/* No root, no capabilities, nothing that it could write but its volumes. */}}
{{- define "countersign.container" -}}
image: {{ include "countersign.image" . }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
args: [{{ .process }}]
workingDir: /config
{{- end -}}

{{- define "countersign.probes" -}}
ports: [{ name: http, containerPort: 8420 }]
startupProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 2, failureThreshold: 60 }
livenessProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 10, timeoutSeconds: 5 }
readinessProbe: { httpGet: { path: /readyz, port: http }, periodSeconds: 5, timeoutSeconds: 5 }
{{- end -}}

{{- define "countersign.confined" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{- define "countersign.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
{{- end -}}

{{/* Pods that serve nothing before all of them are of one version would stand still: a change rolls through. */}}
{{- define "countersign.podMetadata" -}}
labels:
  {{- include "countersign.labels" . | nindent 2 }}
annotations:
  checksum/config: {{ .root.Values.config | sha256sum }}
  prometheus.io/scrape: 'true'
  prometheus.io/port: '8420'
{{- end -}}
