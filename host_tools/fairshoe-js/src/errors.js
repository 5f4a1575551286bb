/** `code` is for programs, `message` says what happened, `advice` what to do next. */
export class FairshoeError extends Error {
  name = 'FairshoeError';

  constructor(code, message, advice, details = {}) {
    super(`${message} ${advice}`, details.cause && { cause: details.cause });
    Object.assign(this, { code, advice }, details);
  }
}
