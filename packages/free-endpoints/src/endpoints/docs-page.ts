import type { RequestHandler } from 'express'

type Json = Readonly<Record<string, unknown>>

/** `GET /docs`: the OpenAPI document as one readable page, without a script and without a CDN. */
export function docsPage(document: Json): RequestHandler {
  const page = renderPage(document)
  return function handleDocs(_, response) {
    response
      .set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'")
      .type('html')
      .send(page)
  }
}

function renderPage(document: Json): string {
  const info = record(document['info'])
  const operations = Object.entries(record(document['paths'])).flatMap(([path, methods]) =>
    Object.entries(record(methods)).map(([method, operation]) =>
      renderOperation(`${method.toUpperCase()} ${path}`, record(operation)),
    ),
  )
  const codes = Object.entries(record(document['x-error-codes']))
    .map(
      ([code, says]) =>
        `<tr><td><code>${escapeHtml(code)}</code></td><td>${escapeHtml(String(says))}</td></tr>`,
    )
    .join('')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Farebox</title><style>${style}</style></head><body><main>
<h1>Farebox</h1><p>${escapeHtml(String(info['description']))}</p>
<p>Machine-readable: <a href="/openapi.json">openapi.json</a>, <a href="/llms.txt">llms.txt</a></p>
${operations.join('\n')}
<h2>Error codes</h2><table>${codes}</table>
</main></body></html>
`
}

function renderOperation(title: string, operation: Json): string {
  const body = schemaOf(record(operation['requestBody']))
  const responses = Object.entries(record(operation['responses'])).map(
    ([status, response]) =>
      `<details><summary><b>${status}</b> ${escapeHtml(String(record(response)['description']))}</summary>${renderSchema(schemaOf(record(response)))}</details>`,
  )
  return `<section><h2><code>${escapeHtml(title)}</code></h2><p>${escapeHtml(String(operation['summary']))}</p>
${body === undefined ? '' : `<h3>Request</h3>${renderFields(body)}`}<h3>Answers</h3>${responses.join('')}</section>`
}

function schemaOf(holder: Json): Json | undefined {
  const schema = record(record(record(holder['content'])['application/json'])['schema'])
  return Object.keys(schema).length === 0 ? undefined : schema
}

/** The fields of an object with their types and limits, one row each. */
function renderFields(schema: Json): string {
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const rows = Object.entries(record(schema['properties'])).map(
    ([name, field]) =>
      `<tr><td><code>${escapeHtml(name)}</code>${required.includes(name) ? ' <em>required</em>' : ''}</td><td>${renderType(record(field))}</td></tr>`,
  )
  return `<table>${rows.join('')}</table>`
}

function renderType(field: Json): string {
  const inline = JSON.stringify(field)
  if (inline.length <= 120) return `<code>${escapeHtml(inline)}</code>`
  return `<details><summary>${escapeHtml(typeName(field))}</summary>${renderSchema(field)}</details>`
}

function typeName({ type }: Json): string {
  return typeof type === 'string' ? type : 'one of several shapes'
}

function renderSchema(schema: Json | undefined): string {
  return schema === undefined ? '' : `<pre>${escapeHtml(JSON.stringify(schema, null, 2))}</pre>`
}

function record(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {}
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
section { border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent); margin-top: 2rem; }
h1 { margin-bottom: 0; } h2 { font-size: 1.15rem; } h3 { font-size: 1rem; margin-bottom: .25rem; }
table { border-collapse: collapse; width: 100%; } td { padding: .25rem .75rem .25rem 0; vertical-align: top; }
td:first-child { white-space: nowrap; } pre { overflow: auto; font-size: .8rem; padding: .75rem;
background: color-mix(in srgb, currentColor 6%, transparent); border-radius: .25rem; }
code { font-size: .9em; overflow-wrap: anywhere; } em { font-size: .8em; opacity: .7; }
`
