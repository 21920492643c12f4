import { createCatalog, shippedData } from '@farebox/catalogs'
import { parseUsdc } from '@farebox/money'
import { createTokenCounter } from '@farebox/tokenizer/node'
import { afterAll, expect, test } from 'vitest'
import { createStorefront, openCatalog, type StorefrontOptions } from '../../src/index.ts'

const counter = createTokenCounter()
afterAll(() => counter.close())

const catalog = createCatalog({ ...shippedData, now: Date.parse('2026-11-20T12:00:00Z') })
const settings = {
  PRICE_BUFFER_BPS: 1000,
  MARKUP_BPS: 250,
  MIN_CHARGE_USDC: parseUsdc('0.001'),
}
const right: StorefrontOptions = {
  settings,
  catalog: () => catalog,
  counter,
  quoteLifetimeMs: 0,
  now: Date.now,
}

test.each<readonly [string, object | undefined]>([
  ['settings.PRICE_BUFFER_BPS', undefined],
  ['settings.MARKUP_BPS', { ...right, settings: { ...settings, MARKUP_BPS: undefined } }],
  ['settings.MARKUP_BPS', { ...right, settings: { ...settings, MARKUP_BPS: '250' } }],
  ['settings.MIN_CHARGE_USDC', { ...right, settings: { ...settings, MIN_CHARGE_USDC: 0.001 } }],
  ['settings.MIN_CHARGE_USDC', { ...right, settings: { ...settings, MIN_CHARGE_USDC: -1n } }],
  ['settings.MAX_MESSAGES', { ...right, settings: { ...settings, MAX_MESSAGES: Number.NaN } }],
  ['catalog', { ...right, catalog }],
  ['counter', { ...right, counter: {} }],
  ['provision.unsupportedField', { ...right, provision: { isSold: () => true } }],
  ['quoteLifetimeMs', { ...right, quoteLifetimeMs: -1 }],
  ['quoteLifetimeMs', { ...right, quoteLifetimeMs: Number.NaN }],
  ['now', { ...right, now: 5 }],
])('createStorefront refuses a wrong %s by name (%#)', (name, options) => {
  expect(() => createStorefront(options as never)).toThrow(
    expect.objectContaining({
      code: 'invalid_option',
      message: expect.stringMatching(new RegExp(`^${name} must be `)),
    }),
  )
})

test('createStorefront refuses a misspelled provision, which would sell everything', () => {
  const options = { ...right, provison: { isSold: () => false } }
  expect(() => createStorefront(options)).toThrow(
    expect.objectContaining({
      code: 'invalid_option',
      message: 'a storefront has no option "provison"',
    }),
  )
})

const opened = { settings: {}, now: Date.now, onEvent: () => undefined }

test.each<readonly [string, object | undefined]>([
  ['settings', undefined],
  [
    'settings.CATALOG_REFRESH_MINUTES',
    { ...opened, settings: { CATALOG_REFRESH: 'on', CATALOG_REFRESH_MINUTES: Number.NaN } },
  ],
  ['now', { ...opened, now: 5 }],
  ['onEvent', { ...opened, onEvent: undefined }],
  ['filePollMs', { ...opened, filePollMs: 0 }],
])('openCatalog refuses a wrong %s by name (%#)', async (name, options) => {
  await expect(openCatalog(options as never)).rejects.toMatchObject({
    code: 'invalid_option',
    message: expect.stringMatching(new RegExp(`^${name} must be `)),
  })
})
