import { chatRequestSchema } from '@farebox/api'
import { expect, test } from 'vitest'
import {
  anthropicLimits,
  customProfile,
  geminiLimits,
  openAiProfile,
  type RequestLimits,
  unsupportedField,
} from '../../src/index.ts'

const types = ['png', 'jpg', 'JPEG', 'webp', 'gif', 'heic', 'tiff']

test.each<[string, RequestLimits, string]>([
  ['openai', openAiProfile, 'png jpg JPEG webp gif'],
  ['anthropic', anthropicLimits, 'png jpg JPEG webp gif'],
  ['gemini', geminiLimits, 'png jpg JPEG webp heic'],
  ['custom', customProfile, 'png jpg JPEG webp gif heic tiff'],
])('%s takes images of these types only: $2', (_, limits, expected) => {
  const taken = types.filter(
    (type) => unsupported(limits, `data:image/${type};base64,AAAA`) === null,
  )
  expect(taken.join(' ')).toBe(expected)
})

test('the image of another type is named', () => {
  const url = 'data:image/tiff;base64,AAAA'
  expect(unsupported(openAiProfile, url)).toBe('messages[0].content[0].image_url.url')
})

function unsupported(limits: RequestLimits, url: string): string | null {
  const content = [{ type: 'image_url', image_url: { url } }]
  const messages = [{ role: 'user', content }]
  return unsupportedField(limits, chatRequestSchema.parse({ messages }))
}
