const PREFIX = 'Dashboard, by ';

/** The user agent of a ping that a person sends from a page. The log and mails tell the person by it. */
export function agentOfPerson(name: string): string {
  return `${PREFIX}${name}`;
}

/** The person who sent the ping from a page. Null for a ping of a job. */
export function personOfAgent(userAgent: string): string | null {
  return userAgent.startsWith(PREFIX) ? userAgent.slice(PREFIX.length) : null;
}
