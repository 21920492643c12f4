import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { saveImages } from '../src/commands/save-images.ts'

const b64_json = Buffer.from('bytes').toString('base64')
const body = { model: 'm', dimensions: '1×1', cost: { usd: '0', usdc: '0' } }

async function save(images: readonly { url: string; b64_json?: string }[], out: string) {
  const notes: string[] = []
  const result = { ...body, images: [...images], number_of_images: images.length }
  const saved = await saveImages(result, out, {
    environment: {},
    write: () => undefined,
    note: (text) => notes.push(text),
    progress: () => undefined,
    colors: false,
    lines: undefined,
    piped: async () => '',
    signal: new AbortController().signal,
  })
  return { ...saved, notes }
}

test('images that cannot be saved are counted, and given by their address if they have one', async () => {
  const address = 'https://pictures.example/cat.png'
  const images = [
    { url: address, b64_json },
    { url: 'data:image/png;base64,AA==', b64_json },
    { url: '', b64_json },
    { url: 'https://pictures.example/dog.png' },
  ]
  const { files, unsaved, notes } = await save(images, join(tmpdir(), 'w'.repeat(300)))
  expect(files).toEqual([address, 'https://pictures.example/dog.png'])
  expect(unsaved).toBe(3)
  expect(notes).toHaveLength(6)
})

test('images that can be saved are given by their path', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-images-'))
  const out = join(folder, 'cat.png')
  const image = { url: 'https://pictures.example/cat.png', b64_json }
  const { files, unsaved } = await save([image, image], out)
  expect({ files, unsaved }).toEqual({ files: [out, join(folder, 'cat-2.png')], unsaved: 0 })
  expect(await readFile(out, 'utf8')).toBe('bytes')
  await rm(folder, { recursive: true })
})
