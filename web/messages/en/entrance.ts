/** Texts of the pages for people who are not signed in. */
export const entrance = {
  product: 'Tocsin',
  title: (page: string) => `${page} – Tocsin`,
  motto: 'We speak up when a job does not.',
  or: 'or',
  now: (time: string) => `Now ${time}`,
  back: 'Back to sign in',
  fields: {
    email: 'E-mail',
    emailPlaceholder: 'you@example.org',
    password: 'Password',
    newPassword: 'New password',
    name: 'Name',
    nameHint: 'As your team sees you. You can leave it out.',
    passwordHint: (length: number) => `At least ${length} characters. Longer is better than complicated.`,
    code: 'Code',
  },
  signIn: {
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
    byProxy: 'The proxy in front of this service signs people in, and has not named you.',
    emailFirst: 'Enter your e-mail address first.',
  },
  secondFactor: {
    title: 'One more step',
    lead: 'Enter the code that your authenticator app shows, or one of your recovery codes.',
    leadWithoutApp: 'Use your security key, or one of your recovery codes.',
    key: 'Use the security key',
    submit: 'Continue',
  },
  mailSent: {
    title: 'Check your mail',
    lead: (email: string) =>
      `If ${email} can sign in here, a link is on its way. It works once, within an hour.`,
    resend: 'Send it again',
    resent: 'Sent again.',
    code: 'Code of the mail',
    codeHint: 'Instead of the link, if you read the mail on another device.',
    useCode: 'Sign in with the code',
  },
  useLink: {
    title: 'Sign in',
    lead: 'You opened a link that signs you in. It works once.',
    submit: 'Sign in',
  },
  noLink: 'The link is incomplete. Copy the whole address from the mail, or ask for a new one.',
  forgotten: {
    title: 'Forgot your password',
    lead: 'We mail you a link with which you choose a new one.',
    submit: 'Mail me a link',
  },
  setPassword: {
    title: 'Choose a password',
    lead: 'All other browsers are signed out.',
    submit: 'Save and sign in',
  },
  signUp: {
    title: 'Sign up',
    closed: 'Nobody can sign up here. Ask somebody of the team for an invitation.',
    domains: (domains: readonly string[]) => `Open to addresses of ${domains.join(', ')}.`,
    submitMail: 'Mail me a link',
    submit: 'Make the account',
    haveAccount: 'You have an account?',
    finishTitle: 'Make your account',
    finishLead: 'Your address is confirmed.',
    passwordOptional: 'You can leave it out and sign in by links.',
  },
  setup: {
    title: 'Set up Tocsin',
    lead: 'You are the first one here. This account administers the service.',
    submit: 'Make the account',
  },
  invitation: {
    title: 'You are invited',
    lead: (project: string, role: string, by: string | null) =>
      by === null
        ? `To the project ${project}, as ${role}.`
        : `${by} invites you to the project ${project}, as ${role}.`,
    accept: 'Join',
    acceptAs: (email: string) => `Join as ${email}`,
    decline: 'Decline',
    declined: 'The invitation was declined.',
    signInFirst: 'Sign in to join',
    otherAddress: (email: string) => `The invitation is for ${email}. Sign in with that address to join.`,
    makeAccount: 'Make an account and join',
    mailed: 'Check your mail: the link in it makes your account and lets you join.',
  },
  confirmEmail: {
    title: 'Confirm the address',
    lead: 'Somebody asked to change the e-mail address of a Tocsin account.',
    submit: 'Confirm',
    changed: 'The address was changed.',
    waiting: 'Confirmed. The other mailbox has to confirm, too.',
  },
  notFound: {
    title: 'Not found',
    lead: 'There is nothing at this address, or you may not see it.',
    home: 'To your projects',
  },
  errors: {
    unreachable: 'The server cannot be reached. Your input is kept; try again.',
    unexpected: (requestId: string | null) =>
      requestId === null
        ? 'Something failed on the server.'
        : `Something failed on the server (${requestId}).`,
    retry: 'Try again',
  },
} as const;
