import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const docs = resolve(import.meta.dirname, '../../docs')

type Cited = { readonly file: string; readonly title: string }

/** The tests that a page names, as `file: "title", "another"`, and the texts of the files that it links. */
function citationsOf(page: string): {
  readonly cited: readonly Cited[]
  readonly files: ReadonlyMap<string, string>
} {
  const links = page.matchAll(/\[([\w -]+)\]\((\.\.\/[^)]+\.ts)\)/g)
  const files = new Map(
    [...links].map(([, name = '', path = '']) => [name, readFileSync(resolve(docs, path), 'utf8')]),
  )
  const names = [...files.keys()].join('|')
  const rows = page.matchAll(
    new RegExp(`(?:\\[([\\w -]+)\\]\\([^)]+\\)|\\b(${names})): ((?:"[^"]+"(?:, )?)+)`, 'g'),
  )
  const cited = [...rows].flatMap(([, linked, named, titles = '']) =>
    [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => ({
      file: linked ?? named ?? '',
      title,
    })),
  )
  return { cited, files }
}

test.each([
  ['attacks.md', 20],
  ['channels.md', 45],
])('each test that %s names is in its file', (name, least) => {
  const page = readFileSync(resolve(docs, name), 'utf8').replaceAll('\n', ' ')
  const { cited, files } = citationsOf(page)
  expect(cited.length).toBeGreaterThan(least)
  // Each title in quotes is read as a citation.
  expect(page.match(/"[^"]{12,}"/g)).toHaveLength(cited.length)
  const missing = cited.filter(({ file, title }) => files.get(file)?.includes(title) !== true)
  expect(missing).toEqual([])
})
