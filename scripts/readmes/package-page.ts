import { codeBlocks, relativeLinks } from './parse-markdown.ts'

/** The packages with the types of those that ship none. */
const typesOf: Readonly<Record<string, readonly string[]>> = { express: ['@types/express'] }

/**
 * What the page of a published package lacks: an install line that names what the first example imports, an
 * example, when to use it, links by task.
 */
export function packagePageProblems(markdown: string, name: string): readonly string[] {
  const blocks = codeBlocks(markdown)
  const installed = blocks
    .filter(({ language, code }) => language === 'sh' && /^npm install /.test(code))
    .map(({ code }) => code.split(/\s+/).map(withoutVersion))
    .find((words) => words.includes(name))
  const shown = blocks.filter(({ language }) => language === 'ts' || language === '')
  const example = shown.find(({ language }) => language === 'ts')?.code ?? ''
  const section = markdown.split(/^## When to use it\n/m)[1]?.split(/^## /m)[0]
  const [why = '', tasks = ''] = section?.split('| you want | use |') ?? []
  return [
    ...(installed === undefined ? [`no \`npm install … ${name}\``] : []),
    ...(shown.length > 0 ? [] : ['no example']),
    ...importedPackages(example)
      .flatMap((imported) => [imported, ...(typesOf[imported] ?? [])])
      .filter((imported) => installed?.includes(imported) === false)
      .map((imported) => `no ${imported} in \`npm install\`, which the first example needs`),
    ...(why.trim() === '' ? ['no paragraph under "## When to use it"'] : []),
    ...(relativeLinks(tasks).some(({ target }) => target !== '')
      ? []
      : ['no links under "| you want | use |"']),
  ]
}

/** `ai` of `ai@7`, and `@farebox/money` as it is. */
function withoutVersion(word: string): string {
  return word.replace(/(?<=.)@.*$/, '')
}

/** The packages that a program imports, each once. */
function importedPackages(code: string): readonly string[] {
  const names = [...code.matchAll(/^(?:import|export|\}) .*?'((?:@[\w-]+\/)?[\w-]+)[/\w.-]*'$/gm)]
  return [...new Set(names.map(([, name = '']) => name))]
}
