import { fileContent } from './file-content.ts'

/** The content of a JSON file, or all its problems, one sentence each. */
export type FileContent<Value> = { readonly value?: Value; readonly problems: readonly string[] }

export type ParsedContent<Value> =
  | { readonly value: Value }
  | { readonly issues: readonly { readonly path: string; readonly message: string }[] }

/** Reads an operator's JSON file; without a path, the value is undefined. */
export function readOperatorFile<Value>(
  path: string | undefined,
  parse: (json: unknown) => ParsedContent<Value>,
): FileContent<Value> {
  if (path === undefined) return { problems: [] }
  const content = fileContent(path)
  if (content === undefined)
    return { problems: [`${path} cannot be read. Check that the file exists and is readable.`] }
  const json = parseJson(content)
  if (json === undefined) return { problems: [`${path} is not valid JSON.`] }
  const parsed = parse(json)
  if ('value' in parsed) return { value: parsed.value, problems: [] }
  return {
    problems: parsed.issues.map((issue) =>
      [path, issue.path, `${issue.message}.`].filter(Boolean).join(': '),
    ),
  }
}

/** A decoder leaves a byte order mark out. */
function parseJson(content: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(content))
  } catch {
    return undefined
  }
}
