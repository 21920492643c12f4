import { fileURLToPath } from 'node:url'

/** The folder of the built site. It does not exist before `vite build`. */
export const siteDirectory: string = fileURLToPath(new URL('../dist/site', import.meta.url))

export { type Snippet, type SnippetOptions, snippetTexts } from './parts/snippet-texts.ts'
