import ts from 'typescript'

/** An exported name. */
export type ExportLine = { readonly name: string; readonly kind: string; readonly type: string }

const flags =
  ts.TypeFormatFlags.NoTruncation |
  ts.TypeFormatFlags.InTypeAlias |
  ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope |
  ts.TypeFormatFlags.OmitParameterModifiers

/** The exports of each entry file, in alphabetical order, with their types. */
export function describeExports(
  entries: readonly string[],
  options: ts.CompilerOptions,
): ReadonlyMap<string, readonly ExportLine[]> {
  const program = ts.createProgram([...entries], options)
  const checker = program.getTypeChecker()
  return new Map(entries.map((entry) => [entry, exportsOf(program, checker, entry)]))
}

function exportsOf(
  program: ts.Program,
  checker: ts.TypeChecker,
  entry: string,
): readonly ExportLine[] {
  const file = program.getSourceFile(entry)
  const symbol = file === undefined ? undefined : checker.getSymbolAtLocation(file)
  if (symbol === undefined) return []
  return checker
    .getExportsOfModule(symbol)
    .map((exported) => describe(checker, exported))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function describe(checker: ts.TypeChecker, exported: ts.Symbol): ExportLine {
  const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0
  const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported
  const isType = (symbol.flags & ts.SymbolFlags.Value) === 0
  const type = isType ? checker.getDeclaredTypeOfSymbol(symbol) : checker.getTypeOfSymbol(symbol)
  return {
    name: exported.name,
    kind: kindOf(symbol),
    type: checker.typeToString(type, undefined, flags).replaceAll(/\s+/g, ' '),
  }
}

function kindOf({ flags: of }: ts.Symbol): string {
  if ((of & ts.SymbolFlags.Class) !== 0) return 'class'
  if ((of & ts.SymbolFlags.Function) !== 0) return 'function'
  return (of & ts.SymbolFlags.Value) === 0 ? 'type' : 'const'
}
