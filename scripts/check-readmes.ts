// Checks the pages: TypeScript examples compile, scripts exist, links lead to files and their sections, and the page of a
// package has what its readers look for.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { baseCompilerOptions } from './compiler-options.ts'
import { publishedPackages, root } from './packages/workspace.ts'
import { type Example, exampleProblems } from './readmes/compile-examples.ts'
import { packagePageProblems } from './readmes/package-page.ts'
import { anchors, codeBlocks, npmScripts, relativeLinks } from './readmes/parse-markdown.ts'
import { trackedFiles } from './tracked-files.ts'

type Page = { readonly path: string; readonly text: string }

function trackedPages(): readonly Page[] {
  return trackedFiles(['*.md', ':!:.changeset', ':!:docs/api'])
    .filter((path) => existsSync(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** A package's example is compiled inside the package; others where what they import is installed. */
function examplesOf({ path, text }: Page): readonly Example[] {
  const elsewhere = path === 'README.md' ? 'examples' : 'apps/gateway'
  const home = /^packages\/[^/]+/.exec(path)?.[0] ?? elsewhere
  return codeBlocks(text)
    .filter(({ language }) => language === 'ts')
    .map(({ line, code }) => ({
      path: join(root, home, `${path.replaceAll('/', '-')}-${line}.ts`),
      where: `${path}:${line}`,
      // Makes the example a module even if it imports nothing.
      code: `${code}\nexport {}\n`,
    }))
}

function scriptProblems({ path, text }: Page): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Readonly<Record<string, string>>
  }
  return npmScripts(text)
    .filter((name) => scripts[name] === undefined)
    .map((name) => `${path}: package.json has no script ${name}`)
}

function linkProblems({ path, text }: Page): readonly string[] {
  return relativeLinks(text).flatMap(({ target, anchor }) => {
    const file = target === '' ? join(root, path) : join(root, dirname(path), target)
    if (!existsSync(file)) return [`${path}: ${target} does not exist`]
    if (anchor === undefined || !file.endsWith('.md')) return []
    const isFound = anchors(readFileSync(file, 'utf8')).includes(anchor)
    return isFound ? [] : [`${path}: ${target} has no section #${anchor}`]
  })
}

const pages = trackedPages()
const examples = pages.flatMap(examplesOf)
const problems = [
  ...publishedPackages().flatMap(({ path, folder, manifest }) =>
    packagePageProblems(readFileSync(join(folder, 'README.md'), 'utf8'), manifest.name).map(
      (problem) => `${path}/README.md: ${problem}`,
    ),
  ),
  ...pages.flatMap(scriptProblems),
  ...pages.flatMap(linkProblems),
  ...exampleProblems(examples, {
    ...baseCompilerOptions(),
    isolatedDeclarations: false,
    declaration: false,
  }),
]
for (const problem of problems) console.error(problem)
console.log(`pages: ${pages.length}, ${examples.length} examples, ${problems.length} problems`)
process.exitCode = problems.length === 0 ? 0 : 1
