/* Texts of the dialogs that interrupt a person. */

export const proof = {
  title: 'Confirm that it is you',
  lead: 'This changes who can sign in, or what cannot be undone. After a proof nothing asks again for 30 minutes.',
  passkey: 'Use a passkey or security key',
  password: 'Password',
  code: 'Code of your authenticator app',
  codeHint: 'Or one of your recovery codes.',
  recoveryCode: 'Recovery code',
  mail: (email: string) => `Mail a code to ${email}`,
  mailed: (email: string) => `Code that we mailed to ${email}`,
  provider: (name: string) => `Go to ${name}`,
  providerLead: 'You come back to this page. What you typed in it is lost.',
  submit: 'Confirm',
  none: 'Nothing is set up with which you could prove it. Ask whoever runs this service.',
} as const;

export const signedOut = {
  title: 'Sign in to go on',
  lead: 'Your sign-in has ended. The page behind this stays as it is.',
  passkey: 'Sign in with a passkey',
  password: (email: string) => `Password of ${email}`,
  code: 'Code',
  codeHint: 'Of your authenticator app, or a recovery code.',
  key: 'Use the security key',
  submit: 'Sign in',
  elsewhere: 'Sign in in another tab',
  next: 'I have signed in',
  notYet: 'Nobody is signed in yet.',
} as const;
