import { fileURLToPath } from 'node:url'

/** The folder of the built site. It does not exist before `vite build`. */
export const siteDirectory: string = fileURLToPath(new URL('../dist/site', import.meta.url))

export { type Snippet, type SnippetOptions, snippetTexts } from './parts/snippet-texts.ts'
/** The style sheets of the site and of the operator's console, in their order. */
export const styleFiles: readonly string[] = ['base', 'parts', 'pages', 'console'].map((name) =>
  fileURLToPath(new URL(`../src/style/${name}.css`, import.meta.url)),
)

/** The Farebox mark, an SVG. */
export const markFile: string = fileURLToPath(new URL('../src/mark.svg', import.meta.url))
