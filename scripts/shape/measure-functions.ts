import ts from 'typescript'

/** A function with a body, and its number of lines. */
export type FunctionShape = {
  readonly file: string
  readonly name: string
  readonly line: number
  readonly lines: number
}

/** Every function of a source text, including nested ones. */
export function measureFunctions(file: string, text: string): readonly FunctionShape[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true)
  const found: FunctionShape[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      found.push(shapeOf(node, source))
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function shapeOf(node: ts.SignatureDeclaration, source: ts.SourceFile): FunctionShape {
  const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line
  const last = source.getLineAndCharacterOfPosition(node.getEnd()).line
  return {
    file: source.fileName,
    name: nameOf(node, source),
    line: first + 1,
    lines: last - first + 1,
  }
}

function nameOf(node: ts.SignatureDeclaration, source: ts.SourceFile): string {
  if (node.name !== undefined) return node.name.getText(source)
  const { parent } = node
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)
    ? parent.name.getText(source)
    : '(anonymous)'
}

/** The value below which this share of a sorted list is. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
