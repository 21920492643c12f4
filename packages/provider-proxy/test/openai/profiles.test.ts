import { expect, test } from 'vitest'
import { shippedProfiles } from '../support/shipped-profiles.ts'

test('names of profiles are unique and base addresses are https', () => {
  const profiles = shippedProfiles()
  expect(new Set(profiles.map(({ name }) => name)).size).toBe(profiles.length)
  for (const { baseUrl } of profiles) {
    expect(baseUrl ?? 'https://').toMatch(/^https:\/\/|^http:\/\/127\.0\.0\.1:/)
  }
})
