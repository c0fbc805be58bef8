/** Roles to tick, with what each is for. Only those that the person holds can be passed on; the API refuses the others. */
import { heldRoles, type RoleName, roleNames } from '../me.ts'
import { texts } from '../texts/index.ts'

export function RolesField({ label, value, onValue }: { label: string; value: readonly RoleName[]; onValue: (roles: RoleName[]) => void }) {
  const held = heldRoles()
  // A role that is there already stays to be seen, and can be left, whoever looks.
  const shown = roleNames.filter((role) => held.includes(role) || value.includes(role))
  return (
    <fieldset>
      <legend>{label}</legend>
      <ul class="plain ticks">
        {shown.map((role) => (
          <li>
            <label>
              <input
                type="checkbox"
                checked={value.includes(role)}
                disabled={!held.includes(role)}
                onChange={(event) => onValue(roleNames.filter((one) => (one === role ? event.currentTarget.checked : value.includes(one))))}
              />
              <span>
                <strong>{texts.roles[role].name}</strong> <small>{texts.roles[role].use}</small>
              </span>
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}
