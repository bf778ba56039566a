{{- define "tocsin.labels" -}}
app.kubernetes.io/name: tocsin
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "tocsin.selector" -}}
app.kubernetes.io/name: tocsin
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "tocsin.name" -}}
{{- if eq .Release.Name "tocsin" }}tocsin{{ else }}{{ printf "%s-tocsin" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end -}}
{{- end -}}

{{- define "tocsin.onServer" -}}
{{- if or .Values.database.url .Values.database.existingSecret }}yes{{ end -}}
{{- end -}}

{{- define "tocsin.refuseMistakes" -}}
{{- if not .Values.siteRoot }}{{ fail "set siteRoot to the address that people and jobs use, for example https://tocsin.example.org" }}{{ end }}
{{- if and (gt (int .Values.replicas) 1) (not (include "tocsin.onServer" .)) }}{{ fail "several replicas need PostgreSQL: set database.url or database.existingSecret, or replicas to 1" }}{{ end }}
{{- if and .Values.database.url .Values.database.existingSecret }}{{ fail "set database.url or database.existingSecret, not both" }}{{ end }}
{{- if and .Values.ingress.enabled .Values.gateway.enabled }}{{ fail "enable ingress or gateway, not both" }}{{ end }}
{{- end -}}

{{- define "tocsin.host" -}}
{{ (urlParse .Values.siteRoot).hostname }}
{{- end -}}

{{- define "tocsin.path" -}}
{{ (urlParse .Values.siteRoot).path | trimSuffix "/" }}
{{- end -}}
