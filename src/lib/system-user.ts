/** A user of the machine. */
export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** Finds the user by a name in the text of `/etc/passwd`, or takes numbers like `65534:65534`. Null if there is none. */
export function findSystemUser(given: string, passwd: string): SystemUser | null {
  const numbers = /^(\d+):(\d+)$/.exec(given);
  if (numbers !== null) return { uid: Number(numbers[1]), gid: Number(numbers[2]), home: '/' };
  for (const line of passwd.split('\n')) {
    const [name, , uid, gid, , home = '/'] = line.split(':');
    if (name === given && /^\d+$/.test(uid ?? '') && /^\d+$/.test(gid ?? ''))
      return { uid: Number(uid), gid: Number(gid), home };
  }
  return null;
}
