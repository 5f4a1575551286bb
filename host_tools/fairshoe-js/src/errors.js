/** `code` is for programs, `message` says what happened, `advice` what to do next. */
export class FairshoeError extends Error {
  name = 'FairshoeError';

  constructor(code, message, advice, details = {}) {
    super(`${message} ${advice}`, details.cause && { cause: details.cause });
    Object.assign(this, { code, advice }, details);
  }
}

/** The caller's mistake: wrong arguments, or a call that this shoe cannot take now. */
export const usage = (what, advice = 'Correct the call.') => new FairshoeError('usage', `${what}.`, advice);
