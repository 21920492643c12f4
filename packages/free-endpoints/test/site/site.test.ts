import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import type { SiteFacts } from '@farebox/api'
import { unrouted } from '@farebox/http'
import express, { type RequestHandler } from 'express'
import request from 'supertest'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { missingPage, site } from '../../src/index.ts'

const directory = mkdtempSync(join(tmpdir(), 'farebox-site-'))
afterAll(() => {
  rmSync(directory, { recursive: true })
})
const html = '<base href="/" /><script type="application/json" id="facts">{"facts":null}</script>'
writeFileSync(join(directory, 'index.html'), html)
writeFileSync(join(directory, 'docs.html'), '<base href="/" /><div id="reference"></div>')
mkdirSync(join(directory, 'assets'))
writeFileSync(join(directory, 'assets/main-1a2b.js'), 'started()')
writeFileSync(join(directory, 'assets/main-1a2b.js.gz'), gzipSync('started()'))
writeFileSync(join(directory, 'secret.txt'), 'outside of the assets')

const facts: SiteFacts = {
  publicUrl: 'https://farebox.example',
  sells: true,
  network: 'base',
  defaultChatModel: 'openai/</script><script>alert(1)</script>',
  defaultImageModel: 'b/c',
  minimumCharge: '0.001',
  bufferBps: 1000,
}

function app({ from = directory, publicUrl = facts.publicUrl } = {}) {
  const index = { models: `${publicUrl}/v1/models` }
  const pages = { directory: from, facts: () => ({ ...facts, publicUrl }) }
  return express()
    .use(site({ ...pages, index }))
    .use(unrouted([[/^\/v1\/estimate$/, ['POST']]], missingPage(pages)))
}

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

describe('a built site', () => {
  const undecodable = '/models/%E0%A4%A'
  test.each([
    '/',
    '/models',
    '/models/openai/gpt-4.1-mini',
    undecodable,
    '/calculator',
    '/playground',
  ])('browsers get the page at %s, and it may load nothing from elsewhere', async (path) => {
    const { headers, text } = await request(app()).get(path).set('Accept', browser).expect(200)
    expect(text).toContain('id="facts"')
    expect(headers['content-type']).toContain('text/html')
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:|\*/)
    expect(headers['vary']).toContain('Accept')
  })

  test.each([undefined, '*/*', 'application/json'])(
    'programs that accept %s get the index',
    async (accept) => {
      const asked = request(app()).get('/')
      const { body } = await (accept === undefined ? asked : asked.set('Accept', accept)).expect(
        200,
      )
      expect(body).toEqual({ name: 'Farebox', models: 'https://farebox.example/v1/models' })
    },
  )

  test('a new build under a running service replaces pages and files', async () => {
    const built = mkdtempSync(join(tmpdir(), 'farebox-built-'))
    onTestFinished(() => rmSync(built, { recursive: true }))
    const build = (version: string): void => {
      rmSync(built, { recursive: true })
      mkdirSync(join(built, 'assets'), { recursive: true })
      writeFileSync(join(built, 'index.html'), `${html}<script src="assets/${version}.js">`)
      writeFileSync(join(built, `assets/${version}.js`), version)
      writeFileSync(join(built, `assets/${version}.js.gz`), gzipSync(version))
    }
    build('first')
    const running = app({ from: built })
    await request(running).get('/assets/first.js').expect(200, 'first')
    build('second')
    const { text } = await request(running).get('/').set('Accept', browser).expect(200)
    expect(text).toContain('assets/second.js')
    await request(running).get('/assets/second.js').expect(200, 'second')
    await request(running).get('/assets/first.js').expect(404)
  })

  test('programs find no page', async () => {
    for (const path of ['/models', undecodable, '/nowhere']) {
      const { body, headers } = await request(app()).get(path).set('Accept', '*/*').expect(404)
      expect(body.error.code).toBe('not_found')
      expect(headers['vary']).toContain('Accept')
    }
  })

  test('browsers get a page at an address that does not exist, and only there', async () => {
    const missing = await request(app()).get('/nowhere').set('Accept', browser).expect(404)
    expect(missing.text).toContain('id="facts"')
    expect(missing.headers['content-security-policy']).toContain("default-src 'none'")
    const known = await request(app()).get('/v1/estimate').set('Accept', browser).expect(405)
    expect(known.body.error.code).toBe('method_not_allowed')
    const posted = await request(app()).post('/nowhere').set('Accept', browser).expect(404)
    expect(posted.body.error.code).toBe('not_found')
  })

  test('the facts of a page cannot end its script', async () => {
    const { text } = await request(app()).get('/').set('Accept', browser).expect(200)
    expect(text.match(/<\/script>/g)).toHaveLength(1)
    const json = /id="facts">(.*)<\/script>/.exec(text)?.[1] ?? ''
    expect(JSON.parse(json)).toEqual(facts)
  })

  test('a service below a path sets the base of its pages', async () => {
    const below = app({ publicUrl: 'https://example.com/ai' })
    const { text } = await request(below).get('/').set('Accept', browser).expect(200)
    expect(text).toContain('<base href="/ai/"')
  })

  test('assets are kept for a year, and sent compressed', async () => {
    const { headers, text } = await request(app()).get('/assets/main-1a2b.js').expect(200)
    expect(text).toBe('started()')
    expect(headers['cache-control']).toBe('public,max-age=31536000,immutable')
    expect(headers['content-encoding']).toBe('gzip')
  })

  test('a download that is broken off leaves no file open', async () => {
    writeFileSync(join(directory, 'assets/large.js'), Buffer.alloc(16_000_000))
    const files: Readable[] = []
    const noteFile: RequestHandler = (_, response, next) => {
      response.once('pipe', (file: Readable) => files.push(file))
      next()
    }
    const server = express().use(noteFile, app()).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const { body } = await fetch(`http://127.0.0.1:${port}/assets/large.js`)
    await body?.cancel()
    await expect.poll(() => files.map(({ closed }) => closed)).toEqual([true])
  })

  test.each(['bytes=9-2', 'bytes=2-4', 'bytes=99-', 'x'])(
    'assets are sent whole, whatever the range: %s',
    async (range) => {
      const asked = request(app()).get('/assets/main-1a2b.js').set('Range', range)
      const { status, text } = await asked
      expect([status, text]).toEqual([200, 'started()'])
    },
  )

  test.each(['/assets/../secret.txt', '/assets/%2e%2e/secret.txt', '/assets/..%2fsecret.txt'])(
    'nothing but the assets is served: %s',
    async (path) => {
      const { status, text } = await request(app()).get(path)
      expect(status).toBe(404)
      expect(text).not.toContain('outside of the assets')
    },
  )

  test('the reference is a page for browsers and programs, with styles of its own', async () => {
    const { headers, text } = await request(app()).get('/docs').expect(200)
    expect(text).toContain('id="reference"')
    expect(headers['content-security-policy']).toContain("script-src 'self';")
    expect(headers['content-security-policy']).toContain("style-src 'self' 'unsafe-inline'")
  })
})

describe('a site that is not built', () => {
  const unbuilt = app({ from: join(directory, 'nowhere') })

  test('browsers get the index too', async () => {
    const { body } = await request(unbuilt).get('/').set('Accept', browser).expect(200)
    expect(body.name).toBe('Farebox')
  })

  test('an address that does not exist is a 404 for programs', async () => {
    const { body } = await request(unbuilt).get('/nowhere').set('Accept', browser).expect(404)
    expect(body.error.code).toBe('not_found')
  })

  test('/docs leads to the document', async () => {
    const { headers } = await request(unbuilt).get('/docs').expect(302)
    expect(headers['location']).toBe('/openapi.json')
  })
})
