/** One thing that is so or not. */
export function Tick({ label, isOn, onTurn }: { label: string; isOn: boolean; onTurn: (isOn: boolean) => void }) {
  return (
    <label class="tick">
      <input type="checkbox" checked={isOn} onChange={(event) => onTurn(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  )
}
