import tseslint from 'typescript-eslint'

/** Packages that only do arithmetic: no clock, no randomness, no floats parsed from text. */
const domainSources = [
  'packages/{money,pricing,api}/src/**/*.ts',
  'packages/catalogs/src/**/*.ts',
  'packages/ledger/src/**/*.ts',
  'packages/tokenizer/src/**/*.ts',
]

/** Entry points of mixed packages that use Node: SQL stores, worker pools, a refresher. */
const edgesOfDomainPackages = [
  'packages/catalogs/src/refresh{.ts,/**}',
  'packages/ledger/src/sql{.ts,/**}',
  'packages/tokenizer/src/node{.ts,/**}',
]

const testFiles = [
  '**/test/**/*.ts',
  '**/bench/**/*.ts',
  'scripts/**/*.ts',
  'packages/*/scripts/**/*.ts',
  'examples/**/*.ts',
]

const booleanParameter = {
  selector:
    'FunctionDeclaration > Identifier.params[typeAnnotation.typeAnnotation.type="TSBooleanKeyword"]',
  message: 'Two functions with names beat one with a flag.',
}

const booleanDefault = {
  selector: 'FunctionDeclaration > AssignmentPattern.params[right.raw=/^(true|false)$/]',
  message: 'Two functions with names beat one with a flag.',
}

const environment = {
  selector: 'MemberExpression[object.name="process"][property.name="env"]',
  message: 'Only config.ts may read the environment.',
}

const wallClock = {
  selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
  message: 'Pass the time in.',
}

const house = [booleanParameter, booleanDefault]

const relaxedForTests = {
  'max-lines-per-function': 'off',
  'no-console': 'off',
  'no-restricted-syntax': 'off',
  '@typescript-eslint/max-params': 'off',
  '@typescript-eslint/no-misused-spread': 'off',
  '@typescript-eslint/no-non-null-assertion': 'off',
  '@typescript-eslint/no-unsafe-argument': 'off',
  '@typescript-eslint/no-unsafe-assignment': 'off',
  '@typescript-eslint/no-unsafe-call': 'off',
  // Flags of the compiler API are combined with |.
  '@typescript-eslint/no-unsafe-enum-assignment': 'off',
  '@typescript-eslint/no-unsafe-member-access': 'off',
  '@typescript-eslint/no-unsafe-return': 'off',
}

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      '**/node_modules/**',
      '**/coverage/**',
      '**/fixtures/**',
      '**/*.gen.ts',
      'docs/**',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ['packages/*/tsconfig.json', 'apps/*/tsconfig.json', 'tsconfig.test.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'max-lines': ['error', 400],
      'max-lines-per-function': ['error', { max: 60, skipComments: true }],
      'max-params': 'off',
      'no-console': 'error',
      'no-restricted-syntax': ['error', ...house],
      '@typescript-eslint/consistent-type-definitions': ['error', 'type'],
      '@typescript-eslint/max-params': ['error', { max: 3 }],
      // `return answerUnpaid(response)` is how a handler ends early.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      // The reason of an abort signal is passed on as it is.
      '@typescript-eslint/prefer-promise-reject-errors': [
        'error',
        { allowThrowingAny: true, allowThrowingUnknown: true },
      ],
      // A port's method is async by its contract, whether this adapter waits for anything or not.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      // Ports are records of functions made by closures; there is no `this` to lose.
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['packages/*/src/**/*.ts', 'apps/*/src/**/*.{ts,tsx}'],
    rules: { 'no-restricted-syntax': ['error', ...house, environment] },
  },
  {
    files: domainSources,
    ignores: edgesOfDomainPackages,
    rules: {
      'no-restricted-globals': [
        'error',
        { name: 'parseFloat', message: 'Money and prices are exact: parse decimals as text.' },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Pass the time in.' },
        { object: 'Math', property: 'random', message: 'Pass randomness in.' },
        { object: 'Number', property: 'parseFloat', message: 'Parse decimals as text.' },
      ],
      'no-restricted-syntax': ['error', ...house, environment, wallClock],
    },
  },
  {
    files: [
      'apps/*/src/config.ts',
      'apps/*/src/config/**/*.ts',
      'packages/{client,devnet}/src/main.ts',
    ],
    rules: { 'no-restricted-syntax': ['error', ...house] },
  },
  {
    // Programs that people run: what they print is their interface.
    files: ['apps/*/src/**/*.ts', 'packages/{client,devnet}/src/main.ts'],
    rules: { 'no-console': 'off' },
  },
  { files: testFiles, rules: relaxedForTests },
)
