import { join } from 'node:path'
import ts from 'typescript'
import { root } from './packages/workspace.ts'

/** The options of `tsconfig.base.json`, with Node's types. */
export function baseCompilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), (path) =>
    ts.sys.readFile(path),
  ) as { config: { compilerOptions: object } }
  const json = { compilerOptions: { ...config.compilerOptions, types: ['node'] }, files: [] }
  return ts.parseJsonConfigFileContent(json, ts.sys, root).options
}
