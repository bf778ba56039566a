/* Texts of the pages for people who are not signed in. */

export const motto = 'We speak up when a job does not.';
export const or = 'or';
export const now = (time: string) => `Now ${time}`;
export const back = 'Back to sign in';
export const fields = {
  email: 'E-mail',
  emailPlaceholder: 'you@example.org',
  password: 'Password',
  newPassword: 'New password',
  name: 'Name',
  nameHint: 'As your team sees you. You can leave it out.',
  passwordHint: (length: number) => `At least ${length} characters. Longer is better than complicated.`,
  code: 'Code',
} as const;

export const signIn = {
  title: 'Sign in',
  submit: 'Sign in',
  passkey: 'Continue with a passkey',
  passkeyFailed: 'The passkey was not accepted. Try again, or use another way to sign in.',
  newKeyFailed: 'The key was not added. Try again; a device that is known already cannot be added twice.',
  mailLink: 'Mail me a link',
  forgot: 'Forgot it?',
  noAccount: 'No account yet?',
  signUp: 'Sign up',
  provider: (name: string) => `Continue with ${name}`,
  refused: 'The sign-in did not succeed. Try again, or ask whoever runs this service.',
  expired: 'That took too long. Please sign in again.',
  byProxy: 'The proxy in front of this service signs people in, and has not named you.',
  needsSetup: 'Nobody administers this service yet.',
  setupLink:
    'The link that makes its first account is in the log of the service, which every start writes anew: in the terminal that it was started from, in docker logs, or in journalctl. It works for a day. Without a browser:',
  setupCommand: 'tocsin account create EMAIL --admin',
  emailFirst: 'Enter your e-mail address first.',
} as const;

export const otherWay = {
  title: 'Sign in another way',
  why: 'Too many wrong passwords were tried for this address, or from your network. It need not have been you. For some hours this browser cannot use a password.',
  mail: (email: string) => `Mail a link to ${email}`,
  known: 'In a browser in which you were signed in before, your password still works.',
  knownOrAsk:
    'In a browser in which you were signed in before, your password still works. Or ask whoever runs this service for a link.',
} as const;

export const secondFactor = {
  title: 'One more step',
  lead: 'Enter the code that your authenticator app shows, or one of your recovery codes.',
  leadWithoutApp: 'Use your security key, or one of your recovery codes.',
  key: 'Use the security key',
  submit: 'Continue',
} as const;

export const mailSent = {
  title: 'Check your mail',
  lead: (email: string) =>
    `If ${email} can sign in here, a link is on its way. It works once, within an hour.`,
  resend: 'Send it again',
  resent: 'Sent again.',
  code: 'Code of the mail',
  codeHint: 'Instead of the link, if you read the mail on another device.',
  useCode: 'Sign in with the code',
} as const;

export const useLink = {
  title: 'Sign in',
  lead: 'You opened a link that signs you in. It works once.',
  submit: 'Sign in',
} as const;

export const confirmRecipient = {
  title: 'Confirm this address',
  lead: 'Somebody wants to send alerts to it. Nothing is sent before you agree, and every alert has a link to stop them.',
  submit: 'Send alerts to this address',
  doneTitle: 'Confirmed',
  done: 'Alerts will be sent to this address from now on.',
} as const;

export const noLink = 'The link is incomplete. Copy the whole address from the mail, or ask for a new one.';
export const forgotten = {
  title: 'Forgot your password',
  lead: 'We mail you a link with which you choose a new one.',
  submit: 'Mail me a link',
} as const;

export const setPassword = {
  title: 'Choose a password',
  lead: 'All other browsers are signed out.',
  submit: 'Save and sign in',
  revokeTokens: 'Revoke the tokens of the account as well',
  revokeTokensHint:
    'Programs that use them are refused at once. Keep them only if nobody else knew the password.',
} as const;

export const signUp = {
  title: 'Sign up',
  closed: 'Nobody can sign up here. Ask somebody of the team for an invitation.',
  domains: (domains: readonly string[]) => `Open to addresses of ${domains.join(', ')}.`,
  submitMail: 'Mail me a link',
  submit: 'Make the account',
  haveAccount: 'You have an account?',
  finishTitle: 'Make your account',
  finishLead: 'Your address is confirmed.',
  passwordOptional: 'You can leave it out and sign in by links.',
} as const;

export const setup = {
  title: 'Set up Tocsin',
  lead: 'You are the first one here. This account administers the service.',
  submit: 'Make the account',
} as const;

export const invitation = {
  title: 'You are invited',
  lead: (project: string, role: string, by: string | null) =>
    by === null
      ? `To the project ${project}, as ${role.toLowerCase()}.`
      : `${by} invites you to the project ${project}, as ${role.toLowerCase()}.`,
  acceptAs: (email: string) => `Join as ${email}`,
  decline: 'Decline',
  declined: 'The invitation was declined.',
  signInFirst: 'Sign in to join',
  otherAddress: (email: string) => `The invitation is for ${email}. Sign in with that address to join.`,
  makeAccount: 'Make an account and join',
  mailed: 'Check your mail: the link in it makes your account and lets you join.',
} as const;

export const confirmEmail = {
  title: 'Confirm the address',
  lead: 'Somebody asked to change the e-mail address of a Tocsin account.',
  submit: 'Confirm',
  changed: 'The address was changed.',
  waiting: 'Confirmed. The other mailbox has to confirm, too.',
} as const;
