/** A local store that takes no more. */
import { execFileSync } from 'node:child_process'
import { mkdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Takes the room of the store at `root` away: by a small disk under the folder that files arrive in where we may mount one, else by a folder
 * that nobody may write. Answers what gives it back.
 */
export async function takeRoom(root: string): Promise<() => Promise<void>> {
  const incoming = join(root, '.incoming')
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=128k', 'none', incoming], { stdio: 'ignore' })
    return async () => {
      execFileSync('umount', [incoming])
    }
  } catch {
    await rm(incoming, { recursive: true })
    await symlink('/sys', incoming)
    return async () => {
      await rm(incoming)
      await mkdir(incoming)
    }
  }
}
