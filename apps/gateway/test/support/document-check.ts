import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { z } from 'zod'
import { eventsOf } from './buy.ts'

const content = z.record(z.string(), z.object({ schema: z.record(z.string(), z.unknown()) }))
const operation = z.object({
  responses: z.record(z.string(), z.object({ content: content.optional() })),
})
const documentSchema = z.object({ paths: z.record(z.string(), z.record(z.string(), operation)) })

export type DocumentCheck = {
  readonly paths: readonly string[]
  /** The methods of a path. */
  methodsOf(path: string): readonly string[]
  /** Fails unless the document describes this answer of a path; gives its text. */
  expectDescribed(path: string, answer: Response): Promise<string>
}

/** Checks answers against the document of a running service, with an independent validator. */
export async function openDocumentCheck(url: string): Promise<DocumentCheck> {
  const { paths } = documentSchema.parse(await (await fetch(`${url}/openapi.json`)).json())
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })

  function schemaFor(path: string, status: number, type: string): object {
    const [described] = Object.values(paths[path] ?? {})
    const schema = described?.responses[`${status}`]?.content?.[type]?.schema
    expect(schema, `${path} describes ${status} as ${type}`).toBeDefined()
    return schema ?? {}
  }
  return {
    paths: Object.keys(paths),
    methodsOf: (path) => Object.keys(paths[path] ?? {}).map((method) => method.toUpperCase()),
    expectDescribed: async (path, answer) => {
      const [type = ''] = (answer.headers.get('content-type') ?? '').split(';')
      const isValid = ajv.compile(schemaFor(path, answer.status, type))
      const text = await answer.text()
      const values = type === 'text/event-stream' ? jsonOf(text) : [JSON.parse(text)]
      for (const value of values) {
        isValid(value)
        expect(isValid.errors, `${path} ${answer.status}: ${JSON.stringify(value)}`).toBeNull()
      }
      expect(values.length).toBeGreaterThan(0)
      return text
    },
  }
}

/** The data of events, with or without a name. */
function jsonOf(stream: string): readonly unknown[] {
  return eventsOf(stream.replaceAll(/^event: .*\n/gm, ''))
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data))
}
