import { describe, expect, test } from 'vitest'
import { requestBody } from '../../src/anthropic/request-body.ts'
import { thoughtBinding } from '../../src/anthropic/thinking.ts'
import { chatCall } from '../support/call.ts'
import { type HistoryMessage, sentBody } from '../support/sent-body.ts'

const models = { anthropic: 'claude-sonnet-4-6', gemini: 'gemini-3.5-flash' } as const

function sent(provider: keyof typeof models, url: string) {
  const content = [{ type: 'image_url', image_url: { url } }]
  const message: HistoryMessage = { role: 'user', content }
  return sentBody(provider, models[provider], [message])
}

const [png, jpeg, gif, webp] = [
  [0x89, ...Buffer.from('PNG\r\n\x1a\n\0\0\0\rIHDR')],
  [0xff, 0xd8, 0xff, 0xe0, 0, 16],
  [...Buffer.from('GIF89a'), 1, 0],
  [...Buffer.from('RIFF'), 0xff, 0x80, 0x7f, 0, ...Buffer.from('WEBPVP8L')],
].map((bytes) => Buffer.from(bytes).toString('base64'))

describe.each([
  ['as usual', 'data:image/png;base64,AAA+/w==', 'image/png', 'AAA+/w=='],
  ['with a parameter', 'data:image/png;charset=utf-8;base64,AAAA', 'image/png', 'AAAA'],
  ['with line breaks', 'data:image/png;base64,AA\r\nAA\n', 'image/png', 'AAAA'],
  ['in the alphabet of URLs', 'data:image/webp;base64,AA-_', 'image/webp', 'AA+/'],
  ['with percent signs', 'data:image/gif;base64,AA%2B%2fAA%3D%3D', 'image/gif', 'AA+/AA=='],
  ['with the common name of JPEG', 'data:image/jpg;base64,AAAA', 'image/jpeg', 'AAAA'],
  ['that is PNG and named JPEG', `data:image/jpeg;base64,${png}`, 'image/png', png],
  ['that is JPEG and named PNG', `data:image/png;base64,${jpeg}`, 'image/jpeg', jpeg],
  ['that is GIF and named PNG', `data:image/png;base64,${gif}`, 'image/gif', gif],
  ['that is WebP and named PNG', `data:image/png;base64,${webp}`, 'image/webp', webp],
  ['in capitals', 'data:image/PNG;BASE64,AAAA', 'image/png', 'AAAA'],
])('an image in a data URL, %s', (_, url, type, data) => {
  test('is base64 with its type for Claude', async () => {
    const { messages } = await sent('anthropic', url)
    const source = { type: 'base64', media_type: type, data }
    expect(messages).toEqual([{ role: 'user', content: [{ type: 'image', source }] }])
  })

  test('is base64 with its type for Gemini', async () => {
    const { contents } = await sent('gemini', url)
    expect(contents).toEqual([{ role: 'user', parts: [{ inlineData: { mimeType: type, data } }] }])
  })
})

test.each([{}, { properties: { a: {} } }])(
  'the schema %j of a tool gets the type object for Claude, which requires it',
  (parameters) => {
    const tools = [{ type: 'function', function: { name: 'f', parameters } }]
    const call = chatCall('hi', { request: { tools } })
    const body = requestBody(call, thoughtBinding(call))
    expect(JSON.parse(body).tools).toEqual([
      { name: 'f', input_schema: { type: 'object', ...parameters } },
    ])
  },
)
