import { readFileSync } from 'node:fs'
import ts from 'typescript'
import type { Mutant } from './mutant.ts'

/** A source whose every line moves money, and the tests that show it. */
export type MutatedFile = Pick<Mutant, 'file' | 'tests'>

/** A limit is moved by one; a comparison, a sum and a product are turned. */
const operators: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
  '*': '+',
}

const functions: Readonly<Record<string, string>> = {
  least: 'greatest',
  greatest: 'least',
  'Math.min': 'Math.max',
  'Math.max': 'Math.min',
}

type Change = Pick<Mutant, 'start' | 'end' | 'replace'>

/**
 * Changes a file at each operator, condition, limit and wait: comparisons are turned
 * or moved by one, sums subtracted, conditions and waits left out, the lesser amount exchanged with the
 * greater one.
 */
export function generateMutants({ file, tests }: MutatedFile): readonly Mutant[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const changes: Change[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return
    changes.push(...changesOf(node, source))
    ts.forEachChild(node, visit)
  }
  visit(source)
  const names = new Map<string, number>()
  return changes.map((change) => {
    const name = nameOf(change, source)
    const place = (names.get(name) ?? 0) + 1
    names.set(name, place)
    return { ...change, file, tests, name: place === 1 ? name : `${name} (${place})` }
  })
}

function changesOf(node: ts.Node, source: ts.SourceFile): readonly Change[] {
  const change = (changed: ts.Node, replace: string): Change => ({
    start: changed.getStart(source),
    end: changed.getEnd(),
    replace,
  })
  if (ts.isBinaryExpression(node)) {
    const replace = operators[node.operatorToken.getText(source)]
    return replace === undefined || isTurnedAlready(node)
      ? []
      : [change(node.operatorToken, replace)]
  }
  if (ts.isIfStatement(node)) return [change(node.expression, 'false')]
  if (ts.isConditionalExpression(node)) {
    return [change(node.condition, `!(${node.condition.getText(source)})`)]
  }
  if (ts.isExpressionStatement(node) && ts.isAwaitExpression(node.expression)) {
    return [change(node.expression, 'undefined')]
  }
  if (ts.isCallExpression(node)) {
    const replace = functions[node.expression.getText(source)]
    return replace === undefined ? [] : [change(node.expression, replace)]
  }
  return node.getText(source) === '0n' && node.getChildCount(source) === 0
    ? [change(node, '1n')]
    : []
}

/** A condition as a whole is changed with its statement. */
function isTurnedAlready({ parent, operatorToken }: ts.BinaryExpression): boolean {
  const isWhole = ts.isIfStatement(parent) || ts.isConditionalExpression(parent)
  return isWhole && equalities.has(operatorToken.kind)
}

const equalities: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
])

/** The changed line, with the change in it. */
function nameOf({ start, end, replace }: Change, { text }: ts.SourceFile): string {
  const from = text.lastIndexOf('\n', start - 1) + 1
  const lineEnd = text.indexOf('\n', end)
  const to = lineEnd === -1 ? text.length : lineEnd
  const changed = `${text.slice(from, start)}⟦${text.slice(start, end)} → ${replace}⟧${text.slice(end, to)}`
  return changed.replaceAll(/\s+/g, ' ').trim()
}
