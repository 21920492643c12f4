import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const docs = resolve(import.meta.dirname, '../../docs')
const page = readFileSync(resolve(docs, 'attacks.md'), 'utf8')

/** The files of a page's links, by the words that name them. */
const files = new Map(
  [...page.matchAll(/\[([\w-]+)\]\((\.\.\/[^)]+\.test\.ts)\)/g)].map(([, name = '', path = '']) => [
    name,
    readFileSync(resolve(docs, path), 'utf8'),
  ]),
)

const cited = [
  ...page.matchAll(/(?:\[([\w-]+)\]\([^)]+\)|([\w-]+)): ((?:"[^"]+"(?:, )?)+)/g),
].flatMap(([, linked, named, titles = '']) =>
  [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => ({
    file: linked ?? named ?? '',
    title,
  })),
)

test('each test that the page of attacks names is in its file', () => {
  expect(cited.length).toBeGreaterThan(20)
  const missing = cited.filter(({ file, title }) => files.get(file)?.includes(title) !== true)
  expect(missing).toEqual([])
})
