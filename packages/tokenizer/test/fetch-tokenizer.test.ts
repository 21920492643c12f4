import { expect, test } from 'vitest'
import { fetchTokenizer } from '../src/web.ts'

test('a page instead of a table is an error that names its address and its type', async () => {
  const url = 'data:text/html,<!doctype html><title>A page</title>'
  await expect(fetchTokenizer(url)).rejects.toMatchObject({
    code: 'table_file',
    message: `The table file at ${url} is not a table: the server sent text/html. See "Browsers" in the README of @farebox/tokenizer.`,
  })
})
