import { codeBlocks, relativeLinks } from './parse-markdown.ts'

/** What the page of a published package lacks: an install line, an example, when to use it, links by task. */
export function packagePageProblems(markdown: string, name: string): readonly string[] {
  const blocks = codeBlocks(markdown)
  const installs = blocks.some(
    ({ language, code }) =>
      language === 'sh' && /^npm install /.test(code) && code.split(/\s+/).includes(name),
  )
  const shown = blocks.filter(({ language }) => language === 'ts' || language === '')
  const section = markdown.split(/^## When to use it\n/m)[1]?.split(/^## /m)[0]
  const [why = '', tasks = ''] = section?.split('| you want | use |') ?? []
  return [
    ...(installs ? [] : [`no \`npm install … ${name}\``]),
    ...(shown.length > 0 ? [] : ['no example']),
    ...(why.trim() === '' ? ['no paragraph under "## When to use it"'] : []),
    ...(relativeLinks(tasks).some(({ target }) => target !== '')
      ? []
      : ['no links under "| you want | use |"']),
  ]
}
