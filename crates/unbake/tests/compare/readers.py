"""The real readers: one JSON document a line in, what each of them sees a line out."""
import base64
import json
import sys

import httpx
import requests
from requests.structures import CaseInsensitiveDict


def attempt(read):
    try:
        text = read()
        # A string of Python may hold surrogates, which JSON for other programs can not.
        return {"text": text.encode("utf-8", "replace").decode("utf-8")}
    except UnicodeDecodeError as error:
        return {"error": "UnicodeDecodeError", "at": error.start}
    except LookupError:
        return {"error": "LookupError"}
    except ValueError as error:
        return {"error": type(error).__name__}


def by_requests(body, header):
    response = requests.Response()
    response._content = body
    if header is not None:
        response.headers = CaseInsensitiveDict({"Content-Type": header})
    response.encoding = requests.utils.get_encoding_from_headers(response.headers)
    return response.text


def by_httpx(body, header):
    headers = {} if header is None else {"Content-Type": header}
    return httpx.Response(200, headers=headers, content=body).text


def loaded(body):
    # The text that the parser is given.
    return body.decode(json.detect_encoding(body), "surrogatepass")


print(json.dumps({"requests": requests.__version__, "httpx": httpx.__version__}), flush=True)
for line in sys.stdin:
    row = json.loads(line)
    body = base64.b64decode(row["body"])
    header, label = row["header"], row["label"]
    out = {
        "requests": attempt(lambda: by_requests(body, header)),
        "httpx": attempt(lambda: by_httpx(body, header)),
        "utf-8": attempt(lambda: body.decode("utf-8")),
        "utf-8-sig": attempt(lambda: body.decode("utf-8-sig")),
        "json.loads": attempt(lambda: loaded(body)),
        "declared": None if label is None else attempt(lambda: body.decode(label)),
    }
    print(json.dumps(out))
