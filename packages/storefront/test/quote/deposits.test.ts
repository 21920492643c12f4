import { readFileSync } from 'node:fs'
import { createTokenCounter } from '@farebox/tokenizer/node'
import { afterAll, expect, test } from 'vitest'
import { everydayRequests } from '../../scripts/everyday-requests.ts'
import { quoteChatRequest } from '../../src/index.ts'
import { sellAll } from './sell-shipped.ts'

const counter = createTokenCounter()
afterAll(() => counter.close())

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8').split('\n')

test.each(everydayRequests)(
  '$name: the bound of its input is that of the README',
  async (request) => {
    const row = readme.find((line) => line.startsWith(`| ${request.name} |`))
    const [, , bound = ''] = row?.split('|').map((cell) => cell.trim()) ?? []
    const quoted = await quoteChatRequest(request.body, sellAll(counter))
    if (quoted.status !== 'quoted') throw new Error(quoted.rejection.message)
    expect(quoted.sale.inputTokensAtMost).toBe(Number(bound.replace(',', '')))
  },
)
