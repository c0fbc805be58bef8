/** What this process and its threads have worked, in milliseconds. On a busy machine an ordinary page takes several times as long, and as much work. */
export function workMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
