/** Which of Spectral's rules for OpenAPI hold here: all of them but those named below, each with its reason. */
import type { RulesetDefinition } from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'

export const ruleset: RulesetDefinition = {
  // Its own type of a ruleset is narrower than that of the sets it brings.
  extends: [[oas as unknown as RulesetDefinition, 'all']],
  rules: {
    // The tags stand in the order in which one reads about the areas, which is that of every other document too.
    'openapi-tags-alphabetical': 'off',
    // Asks for an e-mail address, and an installation has none that the product knows: its own documentation is named instead.
    'contact-properties': 'off',
  },
}
