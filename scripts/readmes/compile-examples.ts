import ts from 'typescript'

/** An example, and the path of the virtual file that it is compiled as. */
export type Example = { readonly path: string; readonly where: string; readonly code: string }

/** Compiles all examples in one program with the sources, and returns the compiler's errors. */
export function exampleProblems(
  examples: readonly Example[],
  options: ts.CompilerOptions,
  alongside: readonly string[] = [],
): readonly string[] {
  const texts = new Map(examples.map(({ path, code }) => [path, code]))
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = (path) => texts.has(path) || fileExists.call(host, path)
  host.readFile = (path) => texts.get(path) ?? readFile.call(host, path)
  host.getSourceFile = (path, version, ...rest) => {
    const text = texts.get(path)
    return text === undefined
      ? getSourceFile.call(host, path, version, ...rest)
      : ts.createSourceFile(path, text, version, true)
  }
  const program = ts.createProgram([...texts.keys(), ...alongside], options, host)
  return examples.flatMap(({ path, where }) => {
    const file = program.getSourceFile(path)
    const diagnostics = [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]
    return diagnostics.map(
      ({ messageText }) => `${where}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    )
  })
}
