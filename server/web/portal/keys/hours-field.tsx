/** In which hours a key may be used: always, or from one time to another on some days. */
import { Choice, Line } from '../parts/basics.tsx'
import { texts } from '../texts/index.ts'
import { ownZone, weekday } from '../times.ts'
import type { ApiKey } from './keys-page.tsx'

const words = texts.keys
const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
const zones = Intl.supportedValuesOf('timeZone')

type Hours = NonNullable<ApiKey['validHours']>

const office = (): Hours => ({ from: '08:00', to: '18:00', days: weekdays.slice(0, 5), timeZoneIana: ownZone() })

export function HoursField({ value, onValue }: { value: Hours | null; onValue: (hours: Hours | null) => void }) {
  return (
    <>
      <Choice
        label={words.hours}
        value={value ? 'hours' : 'always'}
        onValue={(chosen) => onValue(chosen === 'hours' ? office() : null)}
        options={[
          { value: 'always', label: words.always },
          { value: 'hours', label: words.inHours },
        ]}
      />
      {value && (
        <>
          <Line label={words.from} type="time" value={value.from} onValue={(from) => onValue({ ...value, from })} required />
          <Line label={words.to} hint={words.toHint} type="time" value={value.to} onValue={(to) => onValue({ ...value, to })} required />
          <fieldset>
            <legend>{words.days}</legend>
            <ul class="plain ticks">
              {weekdays.map((day, index) => (
                <li>
                  <label>
                    <input
                      type="checkbox"
                      checked={value.days.includes(day)}
                      onChange={(event) => {
                        const isOn = event.currentTarget.checked
                        onValue({ ...value, days: weekdays.filter((one) => (one === day ? isOn : value.days.includes(one))) })
                      }}
                    />
                    <span>{weekday(index)}</span>
                  </label>
                </li>
              ))}
            </ul>
          </fieldset>
          <Line
            label={words.zone}
            value={value.timeZoneIana}
            onValue={(timeZoneIana) => onValue({ ...value, timeZoneIana })}
            list="key-zones"
            maxLength={64}
            required
          />
          <datalist id="key-zones">
            {zones.map((zone) => (
              <option value={zone} />
            ))}
          </datalist>
        </>
      )}
    </>
  )
}
