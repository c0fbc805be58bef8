/** Phrases for domains that a test makes up. */
import { type Domain, phraseLanguages, type Phrases } from '#platform/operation.ts'
import { parseRoles } from '#platform/roles.ts'

/** Each tool is called what its title says. */
export function withPhrases(domain: Omit<Domain, 'phrases'>): Domain {
  const tools = domain.operations.filter(({ roles, isUnlisted }) => {
    const rule = parseRoles(roles)
    return rule.needsCredential && !rule.admitsAgent && !rule.isOfPerson && isUnlisted !== true
  })
  const phrases: Record<string, Phrases[string]> = {}
  const [en, de, fr, es] = phraseLanguages
  for (const { name, title } of tools) phrases[name] = { [en]: title, [de]: title, [fr]: title, [es]: title }
  return { ...domain, phrases }
}
