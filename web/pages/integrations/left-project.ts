/** Under this the browser remembers the project from which the person went to a provider. */
export const LEFT_PROJECT = 'connecting';
