import type { RequestHandler } from 'express'
import { describeType } from './describe-type.ts'
import { docsStyle } from './docs-style.ts'

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
    Object.entries(record(methods)).map(([method, operation]) => ({
      title: `${method.toUpperCase()} ${path}`,
      operation: record(operation),
    })),
  )
  const contents = operations.map(
    ({ title, operation }) =>
      `<li><a href="#${anchor(title)}"><code>${escapeHtml(title)}</code></a> ${escapeHtml(String(operation['summary']))}</li>`,
  )
  const codes = Object.entries(record(document['x-error-codes'])).map(
    ([code, meaning]) =>
      `<dt><code>${escapeHtml(code)}</code></dt><dd>${escapeHtml(String(meaning))}</dd>`,
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Farebox</title><style>${docsStyle}</style></head><body><main>
<h1>Farebox</h1><p class="lead">${escapeHtml(String(info['description']))}</p>
<p>Machine-readable: <a href="openapi.json">openapi.json</a></p>
<ul class="contents">${contents.join('')}</ul>
${operations.map(({ title, operation }) => renderOperation(title, operation)).join('\n')}
<section><h2>Error codes</h2><dl>${codes.join('')}</dl></section>
</main></body></html>
`
}

function anchor(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

function renderOperation(title: string, operation: Json): string {
  const body = schemaOf(record(operation['requestBody']))
  const responses = Object.entries(record(operation['responses'])).map(
    ([status, response]) =>
      `<details><summary><b>${status}</b> ${escapeHtml(String(record(response)['description']))}</summary>${renderSchema(schemaOf(record(response)))}</details>`,
  )
  return `<section id="${anchor(title)}"><h2><code>${escapeHtml(title)}</code></h2><p>${escapeHtml(String(operation['summary']))}</p>
${body === undefined ? '' : `<h3>Request</h3>${renderFields(body)}`}<h3>Responses</h3>${responses.join('')}</section>`
}

function schemaOf(holder: Json): Json | undefined {
  const schema = record(record(record(holder['content'])['application/json'])['schema'])
  return Object.keys(schema).length === 0 ? undefined : schema
}

/** The fields of an object with their types and limits. */
function renderFields(schema: Json): string {
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const rows = Object.entries(record(schema['properties'])).map(
    ([name, field]) =>
      `<dt><code>${escapeHtml(name)}</code>${required.includes(name) ? ' <em>required</em>' : ''}</dt><dd>${renderType(record(field))}</dd>`,
  )
  return `<dl>${rows.join('')}</dl>`
}

/** Plain types as text, nested ones in a fold. */
function renderType(field: Json): string {
  const type = escapeHtml(describeType(field))
  const isNested = ['anyOf', 'oneOf', 'items', 'properties'].some((key) => key in field)
  return isNested ? details(type, field) : type
}

function details(summary: string, schema: Json): string {
  return `<details><summary>${summary}</summary>${renderSchema(schema)}</details>`
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
