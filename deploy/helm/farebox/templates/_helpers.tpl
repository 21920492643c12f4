{{- define "farebox.name" -}}
{{- printf "%s-gateway" .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "farebox.labels" -}}
{{ include "farebox.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "farebox.selector" -}}
app.kubernetes.io/name: farebox
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
