// Browsers: a port that the user chose with navigator.serial.requestPort(). Chrome and Edge have it, in workers too.

/** webSerial(port), for Shoe.open. */
export const webSerial = (port, { baudRate = 115200 } = {}) => async () => {
  await port.open({ baudRate });
  const reader = port.readable.getReader(), writer = port.writable.getWriter();
  let closing = null;
  const close = async () => {
    await reader.cancel().catch(() => {});
    reader.releaseLock();
    writer.releaseLock();
    await port.close().catch(() => {});                  // a port that was pulled out is closed already
  };
  return {
    chunks: (async function* chunks() {
      for (;;) {
        const { value, done } = await reader.read();     // throws on a break, a parity error, a pulled cable
        if (done) return;
        yield value;
      }
    })(),
    write: bytes => writer.write(bytes),
    close: () => closing ??= close(),
  };
};
