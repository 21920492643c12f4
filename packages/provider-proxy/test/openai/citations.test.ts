import { chatRequestSchema } from '@farebox/api'
import { expect, test } from 'vitest'
import { collectCompletion } from '../../src/index.ts'
import { chatCall } from '../support/call.ts'
import { connectedProviders } from '../support/connected.ts'
import { chunk, openEvents } from '../support/provider-server.ts'

const { setUp } = connectedProviders()

/** The message of a response of these events. */
async function messageOf(events: readonly string[]): Promise<object | undefined> {
  const { provider } = await setUp((response) => {
    openEvents(response)
    response.end(`${events.join('')}${chunk({}, { finish: 'stop' })}data: [DONE]\n\n`)
  })
  const { completion } = await collectCompletion(await provider.open(chatCall('hi')))
  return completion(null).choices[0]?.message
}

const cited = { url: 'https://a.example', title: 'A', start_index: 3, end_index: 7 }

test('citations of the message keep OpenAI’s shape, without the text of their source', async () => {
  const annotations = [{ type: 'url_citation', url_citation: { ...cited, content: 'long' } }, 5]
  const message = await messageOf([chunk({ content: 'hi' }), chunk({ annotations })])
  expect(message).toHaveProperty('content', 'hi')
  expect(message).toHaveProperty('annotations', [{ type: 'url_citation', url_citation: cited }])
})

test('sources next to the choices are given once, though each event repeats them', async () => {
  const search_results = [
    { title: 'A', url: 'https://a.example', date: '2026-01-01' },
    { title: 'B', url: 'https://b.example' },
  ]
  const first = chunk({ content: 'a' }, { search_results: search_results.slice(0, 1) })
  const second = chunk({ content: 'b' }, { search_results, citations: ['https://a.example'] })
  const message = await messageOf([first, second, second])
  expect(message).toMatchObject({ content: 'abb' })
  expect(message).toHaveProperty(
    'annotations',
    ['A', 'B'].map((title) => {
      const url = `https://${title.toLowerCase()}.example`
      return { type: 'url_citation', url_citation: { url, title, start_index: 0, end_index: 0 } }
    }),
  )
})

test('addresses alone are sources too', async () => {
  const event = chunk({ content: 'a' }, { citations: ['https://a.example', 7] })
  expect(await messageOf([event])).toMatchObject({
    annotations: [{ url_citation: { url: 'https://a.example', title: '' } }],
  })
})

test('pictures come next to the text, and the message is accepted as history', async () => {
  const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }]
  const annotations = [{ type: 'url_citation', url_citation: cited }]
  const message = await messageOf([chunk({ content: 'see' }), chunk({ images, annotations })])
  expect(message).toMatchObject({ content: 'see', images, annotations })
  const messages = [{ role: 'user', content: 'hi' }, message, { role: 'user', content: 'more' }]
  expect(chatRequestSchema.parse({ messages }).messages[1]).toEqual({
    role: 'assistant',
    content: 'see',
  })
})

test.each(['https://a.example/a.png', 'HTTP://10.0.0.5:8080/a.png', 'data:image/webp;base64,AAAA'])(
  'a picture at %s is passed on',
  async (url) => {
    const images = [{ type: 'image_url', image_url: { url } }]
    expect(await messageOf([chunk({ content: 'see' }), chunk({ images })])).toMatchObject({
      images,
    })
  },
)

test.each([
  'javascript:alert(1)',
  'file:///etc/passwd',
  '/relative.png',
  'a.png',
  'data:text/html;base64,AAAA',
  ' https://a.example/a.png',
  '',
])('a picture at "%s" makes the response unreadable', async (url) => {
  const images = [{ type: 'image_url', image_url: { url } }]
  await expect(messageOf([chunk({ content: 'see' }), chunk({ images })])).rejects.toMatchObject({
    name: 'UpstreamError',
    code: 'upstream_truncated',
  })
})

test.each(['javascript:alert(1)', 'file:///etc/passwd', 'a.png'])(
  'a source at %s is left out',
  async (url) => {
    const annotations = [{ type: 'url_citation', url_citation: { ...cited, url } }]
    const message = await messageOf([chunk({ content: 'hi' }), chunk({ annotations })])
    expect(message).not.toHaveProperty('annotations')
  },
)
